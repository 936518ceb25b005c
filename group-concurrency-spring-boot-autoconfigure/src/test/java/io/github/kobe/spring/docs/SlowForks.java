package io.github.kobe.spring.docs;

import io.github.kobe.scope.ForkInfo;
import io.github.kobe.scope.ScopeListener;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

@Component
class SlowForks implements ScopeListener {

    private static final Logger LOGGER = LoggerFactory.getLogger(SlowForks.class);

    @Override
    public void onCancel(ForkInfo fork, Duration ran) {
        LOGGER.warn("{} of {} was cancelled after {}", fork.name(), fork.scope(), ran);
    }
}
