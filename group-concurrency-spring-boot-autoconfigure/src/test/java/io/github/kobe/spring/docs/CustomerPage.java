package io.github.kobe.spring.docs;

record CustomerPage(int orders, Report report) {}
