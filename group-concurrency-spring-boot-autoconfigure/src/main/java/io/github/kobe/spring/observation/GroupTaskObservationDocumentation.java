package io.github.kobe.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The names of all observations. */
public enum GroupTaskObservationDocumentation implements ObservationDocumentation {

    /** Work in a group: from its submission, its wait included, until its permits are back. */
    TASK {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultGroupTaskObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return LowCardinality.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return HighCardinality.values();
        }
    };

    /** Keys with so few values that a meter can have them as tags. */
    public enum LowCardinality implements KeyName {
        /** The name of the executor's bean. */
        EXECUTOR("executor"),
        /** Stands for the group: the rule of the policy that it falls under. */
        GROUP("group"),
        /** How the work ended: success, failed, cancelled or rejected; unknown while it hasn't. */
        OUTCOME("outcome");

        private final String key;

        LowCardinality(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Keys with any number of values, for traces. */
    public enum HighCardinality implements KeyName {
        /** The group's key, in one line and cut off as in logs; not with {@code observations.group-key: false}. */
        GROUP_KEY("group.key"),
        /** The task's id, if it has one. */
        TASK_ID("task.id");

        private final String key;

        HighCardinality(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
