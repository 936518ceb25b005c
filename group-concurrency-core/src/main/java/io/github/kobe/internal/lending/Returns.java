package io.github.kobe.internal.lending;

import io.github.kobe.internal.permits.Batch;
import io.github.kobe.internal.permits.Group;
import io.github.kobe.internal.permits.Groups;
import io.github.kobe.internal.permits.Hold;
import io.github.kobe.internal.permits.Ledger;
import io.github.kobe.internal.permits.Lent;
import io.github.kobe.internal.permits.Loans;
import io.github.kobe.internal.permits.Piece;
import io.github.kobe.internal.permits.SharedGlobal;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Returns permits that are borrowed: first to those whose they were. */
public final class Returns implements Loans {

    private final Groups engine;
    private final Ledger ledger;
    private final Lending lending;

    public Returns(Groups engine, Lending lending) {
        this.engine = engine;
        this.ledger = engine.ledger;
        this.lending = lending;
    }

    @Override
    public void giveBack(Hold hold, long as, Piece ended, @Nullable Batch batch) {
        Group group = hold.group;
        Piece piece = ended;
        SharedGlobal stays = null;
        long left = 0;
        ledger.lock();
        try {
            group.enter();
            try {
                ledger.sharingHasChanged();
                if (ended.isGlobal() && hold.sharesGlobal()) {
                    SharedGlobal shared = Objects.requireNonNull(hold.shared());
                    left = shared.leave(as);
                    if (hold.isNested() || !SharedGlobal.isFree(left)) {
                        stays = shared; // with what shares it, or that is freed at home
                        piece = ended.butGlobal();
                    }
                }
                Loan loan = lending.borrowers.loanOfEnded(hold);
                group.putBackToLedger(piece);
                handBack(loan, piece, batch);
            } finally {
                group.exit(batch);
            }
        } finally {
            ledger.unlock();
        }
        if (stays != null) {
            stays.follow(left, batch);
        }
    }

    /**
     * Gives back what was granted to one that doesn't use it, and carries out what that lets start.
     *
     * @param joined the global permit that it shares, if it does
     * @param as as what it has joined
     * @param lent what the permits are lent on, if they are
     */
    public void giveBackUnused(Group group, @Nullable SharedGlobal joined, long as, @Nullable Lent lent) {
        Batch batch = Batch.orNull(engine, 0);
        Piece piece = Piece.all(joined == null);
        Loan loan = Loan.of(lent);
        if (loan == null) {
            group.giveBack(piece, batch);
        } else {
            ledger.lock();
            try {
                group.enter();
                try {
                    group.putBackToLedger(piece);
                    handBack(loan, piece, batch);
                } finally {
                    group.exit(batch);
                }
            } finally {
                ledger.unlock();
            }
        }
        if (joined != null) {
            joined.follow(joined.leave(as), batch);
        }
        Batch.carryOutIfMade(batch);
    }

    /** A borrower has just given back {@code piece}: those whose it was take of it again what they lack. */
    private void handBack(Loan borrowers, Piece piece, @Nullable Batch batch) {
        for (Loan loan = borrowers; loan != null; loan = loan.also) {
            if (!loan.ended) {
                loan.retake(piece);
                if (loan.lacksNothing()) {
                    lending.end(loan, batch);
                }
            }
        }
    }
}
