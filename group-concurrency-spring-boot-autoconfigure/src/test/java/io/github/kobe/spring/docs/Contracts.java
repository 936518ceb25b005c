package io.github.kobe.spring.docs;

/** Who has paid for what. */
interface Contracts {

    boolean isGold(String groupKey);
}
