package io.github.kobe.internal;

/** A node that asks a group for its permits. */
abstract class Request extends Node {

    /** Set by the thread that brings it, before anyone else knows it. */
    Group group;

    Request(Group group) {
        this.group = group;
    }
}
