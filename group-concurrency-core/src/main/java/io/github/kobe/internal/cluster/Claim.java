package io.github.kobe.internal.cluster;

/**
 * What one node has and needs of a resource that is divided. Stamps are as in {@link Entry}.
 *
 * @param has what is counted for it
 * @param need how much it needs in all, up to the limit; what it has if it can't be waiting
 */
record Claim(String session, int has, int need, long since, long granted, long spoke, long hinted, int told) {

    /** {@return it after it got some more} */
    Claim with(int more, long now) {
        return new Claim(session, has + more, need, now, now, spoke, hinted, told);
    }
}
