/**
 * Work under permits, and those who wait for permits.
 *
 * <p>{@code Task} is what was submitted, with its handle, {@code TaskCompletion}; {@code Run} is its body, {@code OpenStage}
 * the stage that it has returned, {@code CallersStage} one without permits. {@code Waiter} is a blocked thread,
 * {@code PermitFuture} a request that blocks none, {@code Permit} what was handed out. {@code Dispatcher} starts threads,
 * {@code Rejections} handles what is rejected. {@code Work} is the engine as a task knows it.
 */
@NullMarked
package io.github.kobe.internal.work;

import org.jspecify.annotations.NullMarked;
