package io.github.kobe.spring.client;

import io.github.kobe.GroupExecutor;
import io.github.kobe.GroupPermit;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response whose call holds its permit until this is closed. */
final class LimitedResponse implements ClientHttpResponse {

    /** Those that the thread has got, without those that are {@link #over}; the innermost last. */
    private static final ThreadLocal<@Nullable List<LimitedResponse>> OPEN = new ThreadLocal<>();

    private final ClientHttpResponse response;
    private final GroupExecutor executor;
    private final @Nullable GroupPermit permit;
    private final Thread caller = Thread.currentThread();

    /** Whether it is closed, or another thread reads it: its caller doesn't share its permit any more. */
    private volatile boolean over;

    LimitedResponse(ClientHttpResponse response, GroupExecutor executor, @Nullable GroupPermit permit) {
        this.response = response;
        this.executor = executor;
        this.permit = permit;
    }

    /** Its caller, the current thread, has got it. */
    void got() {
        List<LimitedResponse> open = OPEN.get();
        if (open == null) {
            open = new ArrayList<>(1);
            OPEN.set(open);
        }
        open.add(this);
    }

    /**
     * {@return the permit of an open response of the current thread: of a group, or else of the latest; {@code null}: it has
     * none}
     */
    @SuppressWarnings("ReferenceEquality") // identity is meant
    static @Nullable GroupPermit permitOfOpen(GroupExecutor executor, String groupKey) {
        forgetOver();
        List<LimitedResponse> open = OPEN.get();
        GroupPermit latest = null;
        for (int i = open == null ? 0 : open.size(); --i >= 0; ) {
            GroupPermit permit = open.get(i).executor == executor ? open.get(i).permit : null;
            if (permit != null && permit.groupKey().equals(groupKey)) {
                return permit;
            }
            latest = latest == null ? permit : latest;
        }
        return latest;
    }

    private static void forgetOver() {
        List<LimitedResponse> open = OPEN.get();
        if (open != null && open.removeIf(one -> one.over) && open.isEmpty()) {
            OPEN.remove();
        }
    }

    @Override
    public HttpStatusCode getStatusCode() throws IOException {
        return response.getStatusCode();
    }

    @Override
    public String getStatusText() throws IOException {
        return response.getStatusText();
    }

    @Override
    public HttpHeaders getHeaders() {
        return response.getHeaders();
    }

    @Override
    public InputStream getBody() throws IOException {
        if (!Thread.currentThread().equals(caller)) {
            over = true;
        }
        return response.getBody();
    }

    @Override
    public void close() {
        try {
            response.close();
        } finally {
            over = true;
            if (permit != null) {
                permit.close();
            }
            forgetOver();
        }
    }
}
