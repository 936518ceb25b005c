package io.github.kobe.spring.docs;

import io.github.kobe.spring.autoconfigure.GroupConcurrencyRefresher;
import org.springframework.stereotype.Component;

@Component
class SettingsChange {

    private final GroupConcurrencyRefresher refresher;

    SettingsChange(GroupConcurrencyRefresher refresher) {
        this.refresher = refresher;
    }

    void apply() {
        refresher.refresh();
    }
}
