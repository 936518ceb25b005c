package io.github.kobe.scope;

import org.junit.jupiter.api.extension.RegisterExtension;

class StructuredTaskScopeOnVirtualThreadTests extends StructuredTaskScopeCases {

    @RegisterExtension
    static final OwnerThread OWNER = OwnerThread.VIRTUAL;
}
