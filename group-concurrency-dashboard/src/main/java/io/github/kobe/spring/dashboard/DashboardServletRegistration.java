package io.github.kobe.spring.dashboard;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.Serial;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.web.context.request.ServletWebRequest;

/**
 * The page as a servlet of its own, independent of the application's Spring MVC, which may be absent. It is mapped to
 * the exact path of each file, since Spring leaves the prefix of any other mapping out of a request's path.
 */
final class DashboardServletRegistration extends ServletRegistrationBean<HttpServlet> {

    DashboardServletRegistration(DashboardPage page) {
        super(new PageServlet(page), page.paths().toArray(String[]::new));
        setName("groupConcurrencyDashboard");
    }

    private static final class PageServlet extends HttpServlet {

        @Serial
        private static final long serialVersionUID = 1L;

        private final transient DashboardPage page;

        PageServlet(DashboardPage page) {
            this.page = page;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String below =
                    request.getServletPath().substring(page.path().value().length());
            PageFile file = page.find(below);
            if (below.isEmpty()) {
                response.setHeader("Location", page.withSlash());
                response.setStatus(HttpServletResponse.SC_FOUND);
            } else if (file == null) {
                response.sendError(HttpServletResponse.SC_NOT_FOUND);
            } else {
                PageFile.HEADERS.forEach(response::setHeader);
                if (!new ServletWebRequest(request, response).checkNotModified(file.tag())) {
                    response.setContentType(file.type());
                    response.setContentLength(file.content().length);
                    response.getOutputStream().write(file.content());
                }
            }
        }
    }
}
