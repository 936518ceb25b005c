package io.github.kobe.sample.vat;

import io.github.kobe.RejectedTaskException;
import io.github.kobe.sample.partner.PartnerClient;
import io.github.kobe.spring.annotation.GroupConcurrent;
import org.springframework.stereotype.Service;

/** Has VAT numbers checked by the partner: as many as it takes a minute, of each tenant in its turn. */
@Service
public class VatChecks {

    private final PartnerClient partner;

    VatChecks(PartnerClient partner) {
        this.partner = partner;
    }

    /**
     * Has one number checked, when the partner takes one more and it is the tenant's turn.
     *
     * @param tenant who asks
     * @param number the number
     * @return whether it is valid
     * @throws RejectedTaskException if the tenant has asked for too much
     */
    @GroupConcurrent(executor = VatConfiguration.EXECUTOR, group = "#{#tenant}")
    public boolean isValid(String tenant, String number) {
        return partner.isVatNumber(tenant, number);
    }
}
