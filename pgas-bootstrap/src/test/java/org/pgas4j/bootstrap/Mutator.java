package org.pgas4j.bootstrap;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Damages recorded bytes as a broken or hostile sender would; the same seed damages the same way. One thread. */
final class Mutator {

    private final Random random;

    Mutator(long seed) {
        random = new Random(seed);
    }

    <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** A bit or a byte changed, the end cut off, the middle of another in it, a wild number, or noise. */
    byte[] mutate(byte[] bytes, List<byte[]> others) {
        byte[] mutated = bytes.clone();
        if (mutated.length == 0) {
            return noise();
        }
        int at = random.nextInt(mutated.length);
        switch (random.nextInt(6)) {
            case 0 -> mutated[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> mutated[at] = (byte) random.nextInt();
            case 2 -> mutated = Arrays.copyOf(mutated, at);
            case 3 -> {
                byte[] other = any(others);
                int cut = Math.min(at, other.length);
                System.arraycopy(other, cut, mutated, cut, Math.min(mutated.length, other.length) - cut);
            }
            case 4 -> {
                int wild = switch (random.nextInt(4)) {
                    case 0 -> -1;
                    case 1 -> Integer.MAX_VALUE;
                    case 2 -> Integer.MIN_VALUE;
                    default -> random.nextInt(16);
                };
                for (int i = 0; i < Integer.BYTES && at + i < mutated.length; i++) {
                    mutated[at + i] = (byte) (wild >> Byte.SIZE * i);
                }
            }
            default -> mutated = noise();
        }
        return mutated;
    }

    private byte[] noise() {
        byte[] noise = new byte[1 + random.nextInt(64)];
        random.nextBytes(noise);
        return noise;
    }
}
