package io.github.kobe.scope;

import org.junit.jupiter.api.extension.RegisterExtension;

class StructuredTaskScopeOnPlatformThreadTests extends StructuredTaskScopeCases {

    @RegisterExtension
    static final OwnerThread OWNER = OwnerThread.PLATFORM;
}
