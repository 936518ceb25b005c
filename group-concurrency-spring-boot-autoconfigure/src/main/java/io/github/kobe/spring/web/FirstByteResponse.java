package io.github.kobe.spring.web;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * Tells when the answer begins: before the first byte of its body is written or flushed, or its headers are flushed. Errors
 * and redirects end the request, and aren't told.
 */
final class FirstByteResponse extends HttpServletResponseWrapper {

    private final Runnable whenItBegins;
    private @Nullable ServletOutputStream stream;
    private @Nullable PrintWriter writer;

    /**
     * @param response has the answer
     * @param whenItBegins is told with each write, on its thread; so it has to be cheap after the first time
     */
    FirstByteResponse(HttpServletResponse response, Runnable whenItBegins) {
        super(response);
        this.whenItBegins = whenItBegins;
    }

    @Override
    public void flushBuffer() throws IOException {
        whenItBegins.run();
        super.flushBuffer();
    }

    @Override
    public void reset() {
        super.reset();
        stream = null;
        writer = null;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
        if (stream == null) {
            stream = new Stream(super.getOutputStream());
        }
        return stream;
    }

    @Override
    public PrintWriter getWriter() throws IOException {
        if (writer == null) {
            writer = new Text(super.getWriter());
        }
        return writer;
    }

    private final class Stream extends ServletOutputStream {

        private final ServletOutputStream out;

        Stream(ServletOutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            whenItBegins.run();
            out.write(b);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            whenItBegins.run();
            out.write(bytes, from, count);
        }

        @Override
        public void flush() throws IOException {
            whenItBegins.run();
            out.flush();
        }

        @Override
        public void close() throws IOException {
            whenItBegins.run();
            out.close();
        }

        @Override
        public boolean isReady() {
            return out.isReady();
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            out.setWriteListener(listener);
        }
    }

    /** Nearly all other methods of a writer come to these. */
    private final class Text extends PrintWriter {

        Text(PrintWriter out) {
            super(out);
        }

        @Override
        public void write(int c) {
            whenItBegins.run();
            super.write(c);
        }

        @Override
        public void write(char[] text, int from, int count) {
            whenItBegins.run();
            super.write(text, from, count);
        }

        @Override
        public void write(String text, int from, int count) {
            whenItBegins.run();
            super.write(text, from, count);
        }

        @Override
        public void println() {
            whenItBegins.run();
            super.println();
        }

        @Override
        public void flush() {
            whenItBegins.run();
            super.flush();
        }

        @Override
        public void close() {
            whenItBegins.run();
            super.close();
        }
    }
}
