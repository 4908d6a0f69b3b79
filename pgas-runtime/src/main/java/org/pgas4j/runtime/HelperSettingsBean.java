package org.pgas4j.runtime;

import org.pgas4j.HelperSettingsMXBean;
import org.pgas4j.helper.HelperThreads;

/** The settings of this JVM's helper threads. Thread-safe. */
final class HelperSettingsBean implements HelperSettingsMXBean {

    private final HelperThreads helpers;

    HelperSettingsBean(HelperThreads helpers) {
        this.helpers = helpers;
    }

    @Override
    public String getMode() {
        return helpers.options().mode();
    }

    @Override
    public void setMode(String mode) {
        helpers.change(options -> options.withMode(mode));
    }

    @Override
    public long getThresholdNs() {
        return helpers.options().thresholdNs();
    }

    @Override
    public void setThresholdNs(long ns) {
        helpers.change(options -> options.withThreshold(ns));
    }

    @Override
    public String getWaiting() {
        return helpers.options().waiting();
    }

    @Override
    public void setWaiting(String waiting) {
        helpers.change(options -> options.withWaiting(waiting));
    }

    @Override
    public int getThreads() {
        return helpers.count();
    }
}
