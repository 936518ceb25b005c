/**
 * What every part of the engine may know: the policy in force, the clock, whom to tell, what is done later, and values. It
 * knows no group.
 *
 * <p>{@code Core} has it all. {@code Reports} calls the user's listener and trace, {@code SafeRecorder} the recorder of one
 * group; {@code Housekeeper} is the engine's own thread.
 */
@NullMarked
package io.github.kobe.internal.base;

import org.jspecify.annotations.NullMarked;
