package io.github.kobe.spring.kotlin

import io.github.kobe.GroupExecutor
import io.github.kobe.GroupPermit
import kotlinx.coroutines.future.await

/** Runs [work] when it is the turn of the group, and suspends until then. */
suspend fun <T> GroupExecutor.limited(group: String, work: suspend () -> T): T {
    val permit = acquireAsync(group).toCompletableFuture()
    try {
        permit.await()
        return work()
    } finally {
        permit.thenAccept(GroupPermit::close)
    }
}
