package io.github.kobe.sample.credit;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.sample.partner.PartnerClient;
import io.github.kobe.scope.CancelledByTimeoutException;
import io.github.kobe.scope.ForkOptions;
import io.github.kobe.scope.Joiner;
import io.github.kobe.scope.Scopes;
import io.github.kobe.scope.Subtask;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/**
 * Makes credit reports. The three questions of a report run in the tenant's group: all at once where its limit is 3 or
 * more, one after the other where it is 1. When the time is up, or one of them fails, the others are cancelled; when the
 * method returns, none of them runs any more.
 */
@Service
public class CreditReports {

    private final Scopes scopes;
    private final PartnerClient partner;
    private final Duration deadline;

    CreditReports(Scopes scopes, PartnerClient partner, @Value("${sample.credit.deadline}") Duration deadline) {
        this.scopes = scopes;
        this.partner = partner;
        this.deadline = deadline;
    }

    /**
     * Asks the three services.
     *
     * @param tenant whom the report is about
     * @param slow the service that is to take its time
     * @return the report
     * @throws TooLateException if they have not all answered in time
     * @throws RejectedTaskException if the tenant, or all together, have asked for too much
     * @throws InterruptedException if the request is to end
     */
    public CreditReport make(String tenant, String slow) throws InterruptedException {
        ForkOptions group = ForkOptions.in("tenant:" + tenant);
        try (var scope = scopes.open(
                Joiner.<String, RuntimeException>awaitAllSuccessfulOrThrow(failure -> whyNone(tenant, failure)),
                change -> change.withName("credit report").withTimeout(deadline))) {
            Subtask<String> bank = scope.fork(group.withName("bank"), () -> partner.ask("bank", tenant, slow));
            Subtask<String> register =
                    scope.fork(group.withName("register"), () -> partner.ask("register", tenant, slow));
            Subtask<String> court = scope.fork(group.withName("court"), () -> partner.ask("court", tenant, slow));

            scope.join();

            return new CreditReport(tenant, bank.get(), register.get(), court.get());
        }
    }

    private RuntimeException whyNone(String tenant, Throwable failure) {
        if (failure instanceof CancelledByTimeoutException) {
            return new TooLateException(tenant, deadline);
        }
        return failure instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(failure);
    }
}
