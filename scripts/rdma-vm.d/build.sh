# Part of scripts/rdma-vm: builds the kernel, the initrd and the root folder of the machines. Source it, do not run it.

kernel_package() {
    apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ && !found { print $2; found = 1 }'
}

# Files of the modules and of all they need, each once, in the order to load them.
module_files() {
    local module
    for module in "$@"; do
        modprobe -d "$PWD/kernel" -S "$release" --show-depends "$module" | awk '/^insmod/ { print $2 }'
    done | awk '!seen[$0]++'
}

# The machines know each other, and let each other in: they have one key, and no network but their own.
names() { # names ROOT
    local i
    for i in 0 1 2 3; do
        echo "10.9.0.$((i + 1)) vm$i"
    done >> "$1/etc/hosts"
    install -d -m 700 "$1/root/.ssh"
    ssh-keygen -q -t ed25519 -N '' -C rdma-vm -f "$1/root/.ssh/id_ed25519"
    cp "$1/root/.ssh/id_ed25519.pub" "$1/root/.ssh/authorized_keys"
    printf '%s\n' 'Host vm*' ' StrictHostKeyChecking no' ' UserKnownHostsFile /dev/null' ' LogLevel ERROR' ' KexAlgorithms curve25519-sha256' \
        > "$1/root/.ssh/config"
}

# The kernel package of the cloud flavour is smaller and has neither rdma_rxe nor 9p. The installed system is not
# started: an initrd loads 9p, mounts the root folder and starts rdma-init in it.
build() {
    local codename mirror package release file offset
    codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
    package=$(kernel_package)
    if [[ -z $package ]] || ! limited apt-get -qq download "$package" busybox-static; then
        limited apt-get -qq update # lists are absent, or name a package that the mirror has replaced
        package=$(kernel_package)
        limited apt-get -qq download "$package" busybox-static
    fi
    release=${package#linux-image-}
    mirror=$(debian_mirror "$codename") || return 1

    mkdir kernel busybox
    dpkg -x linux-image-*.deb kernel
    dpkg -x busybox-static*.deb busybox
    limited mmdebstrap -q --variant=minbase --include=kmod,iproute2,rdma-core,ibverbs-utils,ibverbs-providers \
        --include=libucx0,ucx-utils,perftest,rdmacm-utils,procps,iputils-ping,openssh-server,openssh-client \
        "$codename" root "$mirror"

    depmod -b kernel "$release"
    while IFS= read -r file; do
        install -D "$file" "root/lib/modules/$release/${file#*"/$release/"}"
    done < <(module_files rdma_rxe crc32_generic crc32_pclmul rdma_ucm ib_uverbs virtio_net dummy veth 9pnet_virtio 9p \
        virtio_pci virtio_rng)
    cp "kernel/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "root/lib/modules/$release/"
    depmod -b root "$release"
    cp "$parts/rdma-init" root/sbin/
    cp "$parts/power-off" root/usr/local/bin/
    names root

    mkdir -p initrd/{bin,dev,proc,sys,mnt,mods}
    cp busybox/bin/busybox initrd/bin/
    ln -s busybox initrd/bin/sh
    while IFS= read -r file; do
        cp "$file" initrd/mods/
        basename "$file" >> initrd/mods/list
    done < <(module_files virtio_pci 9pnet_virtio 9p)
    cp "$parts/initrd-init" initrd/init
    chmod +x initrd/init root/sbin/rdma-init root/usr/local/bin/power-off
    (cd initrd && find . | cpio -o -H newc --quiet | gzip -1) > initrd.gz

    # Unpacked here, as that takes seconds under emulation. xz does not like what follows the packed kernel.
    file=kernel/boot/vmlinuz-$release
    offset=$(LC_ALL=C grep -abo $'\xfd7zXZ' "$file" | head -n 1 | cut -d: -f1 || true)
    tail -c "+$((offset + 1))" "$file" | xz -dc > vmlinux 2> /dev/null || true
    [[ $(head -c 4 vmlinux) == $'\x7fELF' ]] || { echo "no kernel found in $file"; return 1; }
}
