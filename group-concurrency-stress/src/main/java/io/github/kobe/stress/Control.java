package io.github.kobe.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Has a forbidden outcome, always: so the build sees that it would see one. */
@JCStressTest
@Outcome(id = "0", expect = ACCEPTABLE, desc = "never happens")
@Outcome(expect = FORBIDDEN, desc = "always happens")
@State
public class Control {

    private int x;

    @Actor
    public void writer() {
        x = 1;
    }

    @Actor
    public void other(I_Result r) {
        r.r1 = x + 2;
    }
}
