package io.github.kobe.rollout.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPolicy;
import io.github.kobe.rollout.PlanId;
import io.github.kobe.rollout.PlanStatus;
import io.github.kobe.rollout.Rollouts;
import io.github.kobe.rollout.Stage;
import io.github.kobe.rollout.internal.rules.PlanStore;
import io.github.kobe.testing.Deadline;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionTemplate;

/** An application that keeps its own by JPA, and rollouts in the same database. */
@Tag("deep")
class JpaTransactionsTests {

    private static final PlanId PLAN = PlanId.of("plan-x");

    /** Something of the application's. */
    @Entity(name = "note")
    static class Note {

        @Id
        private String text;

        Note() {
            this("");
        }

        Note(String text) {
            this.text = text;
        }
    }

    private final GroupExecutor executor =
            GroupExecutor.newVirtualThreadExecutor(GroupPolicy.builder().build());
    private final LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
    private final TestDatabase database = TestDatabase.Product.H2.open();

    private EntityManager notes;
    private TransactionTemplate transactions;
    private PlanStore store;
    private Rollouts rollouts;

    @BeforeEach
    void open() {
        factory.setDataSource(database.dataSource());
        factory.setManagedTypes(PersistenceManagedTypes.of(Note.class.getName()));
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
        factory.afterPropertiesSet();
        EntityManagerFactory entities = Objects.requireNonNull(factory.getObject());
        notes = SharedEntityManagerCreator.createSharedEntityManager(entities);
        JpaTransactionManager manager = new JpaTransactionManager(entities);
        manager.afterPropertiesSet();
        transactions = new TransactionTemplate(manager);
        store = JdbcRolloutStore.of(database.dataSource())
                .withTransactionManager(manager)
                .plans();
        rollouts = Rollouts.builder(executor)
                .store(store)
                .stages(Fleet.STAGES.stream().map(Stage::named).toList())
                .build();
    }

    @AfterEach
    void close() {
        rollouts.close();
        executor.close();
        factory.destroy();
        database.close();
    }

    private List<Note> notes() {
        return notes.createQuery("from note", Note.class).getResultList();
    }

    @Test
    @Tag("R120")
    void whatIsNotedAndWhatIsStartedIsCommittedTogether() throws Exception {
        transactions.executeWithoutResult(status -> {
            notes.persist(new Note("started"));
            rollouts.start(Fleet.plan(PLAN.value(), 3, 2));
            assertThat(notes()).hasSize(1);
            assertThat(rollouts.plan(PLAN).status()).isEqualTo(PlanStatus.RUNNING);
        });

        assertThat(rollouts.await(PLAN, Deadline.LONG).status()).isEqualTo(PlanStatus.COMPLETED);
        assertThat(notes()).hasSize(1);
    }

    @Test
    @Tag("R120")
    void whatIsRolledBackWasNeitherNotedNorStarted() {
        transactions.executeWithoutResult(status -> {
            notes.persist(new Note("started"));
            rollouts.start(Fleet.plan(PLAN.value(), 3, 2));
            status.setRollbackOnly();
        });

        assertThat(notes()).isEmpty();
        assertThat(store.findPlans(9)).isEmpty();
        assertThat(store.findUnpublished(PLAN, 1)).isEmpty();
    }
}
