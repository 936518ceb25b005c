@file:Suppress("unused", "UnusedReceiverParameter", "UNUSED_EXPRESSION", "UNUSED_PARAMETER", "UNUSED_VARIABLE")

package io.github.kobe.spring.kotlin

// The build files that the docs show in Kotlin, on as much of Gradle's language as they use: so they are Kotlin, and call
// nothing by a name that the other one doesn't. Gradle itself isn't here.

private class Plugin {
    infix fun version(version: String) = check(version.isNotEmpty())
}

private class Plugins {
    val application = Plugin()
    fun id(id: String): Plugin = Plugin().also { check(id.isNotEmpty()) }
    fun kotlin(module: String): Plugin = id("org.jetbrains.kotlin.$module")
}

private class Repositories {
    fun mavenLocal() = Unit
    fun mavenCentral() = Unit
}

private class Dependencies {
    fun implementation(coordinates: String) = check(coordinates.contains(':'))
}

private class Application {
    var mainClass = ""
}

private fun plugins(block: Plugins.() -> Unit) = Plugins().block()

private fun repositories(block: Repositories.() -> Unit) = Repositories().block()

private fun dependencies(block: Dependencies.() -> Unit) = Dependencies().block()

private fun application(block: Application.() -> Unit) = Application().block()

fun buildOfPlainJava() {
    plugins {
        application
    }
    repositories {
        mavenLocal()
        mavenCentral()
    }
    dependencies {
        implementation("io.github.kobe:group-concurrency-core:0.1.0-SNAPSHOT")
    }
    application {
        mainClass = "com.example.reports.Main"
    }
}

fun buildOfAnApplication() {
    plugins {
        kotlin("jvm") version "2.2.21"
        kotlin("plugin.spring") version "2.2.21"
        id("org.springframework.boot") version "4.1.1"
        id("io.spring.dependency-management") version "1.1.7"
    }
    repositories {
        mavenLocal()
        mavenCentral()
    }
    dependencies {
        implementation("org.springframework.boot:spring-boot-starter-webmvc")
        implementation("org.jetbrains.kotlin:kotlin-reflect")
        implementation("org.jetbrains.kotlinx:kotlinx-coroutines-reactor")
        implementation("io.github.kobe:group-concurrency-spring-boot-starter:0.1.0-SNAPSHOT")
    }
}
