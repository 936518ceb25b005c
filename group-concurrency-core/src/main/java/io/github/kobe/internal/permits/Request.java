package io.github.kobe.internal.permits;

/** A node that asks a group for its permits. */
public abstract class Request extends Node {

    /** Set by the thread that brings it, before anyone else knows it. */
    public Group group;

    public Request(Group group) {
        this.group = group;
    }
}
