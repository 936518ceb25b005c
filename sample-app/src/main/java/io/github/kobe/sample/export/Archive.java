package io.github.kobe.sample.export;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.sample.partner.PartnerClient;
import io.github.kobe.spring.annotation.GroupConcurrent;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The documents that the partner keeps for a tenant. It takes seconds to get one out, so that is background work. */
@Component
@Profile("long")
class Archive {

    private final PartnerClient partner;

    Archive(PartnerClient partner) {
        this.partner = partner;
    }

    /**
     * Gets one document, when the turn of the tenant's exports has come.
     *
     * @throws RejectedTaskException if the tenant's exports, or all together, have asked for too much
     */
    @GroupConcurrent(group = "export:#{#tenant}")
    String document(String tenant, int number) {
        return partner.document(tenant, number);
    }
}
