// Requests to the endpoints: the same that anybody may send, with what a browser has of the session.

const LONGEST_WAIT = 10000;

/** An answer that is none: what the endpoint says of it, or its status alone. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem?.error ?? `${status}`);
    this.status = status;
    this.problem = problem;
  }
}

export function read(endpoint, parameters = {}, below = '') {
  const query = new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== ''));
  const path = endpoint.address + below.split('/').map(encodeURIComponent).join('/');
  return send(query.size ? `${path}?${query}` : path, {});
}

export function write(endpoint, body, below = '') {
  return send(endpoint.address + below.split('/').map(encodeURIComponent).join('/'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...token() },
    body: JSON.stringify(body),
  });
}

/** What Spring Security wants of a browser, where it keeps its token in a cookie that pages can read. */
function token() {
  const cookie = document.cookie.split('; ').find((entry) => entry.startsWith('XSRF-TOKEN='));
  return cookie ? { 'X-XSRF-TOKEN': decodeURIComponent(cookie.slice('XSRF-TOKEN='.length)) } : {};
}

async function send(address, request) {
  const answer = await fetch(address, {
    ...request,
    headers: { Accept: 'application/json', ...request.headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(LONGEST_WAIT),
  });
  if (answer.status === 204) {
    return null; // done, and there is nothing left to tell of
  }
  const isJson = (answer.headers.get('Content-Type') ?? '').includes('json');
  const body = isJson ? await answer.json() : null;
  if (answer.type === 'opaqueredirect') {
    throw new Refused(401, null); // to where one signs in
  }
  if (!answer.ok || !isJson) {
    throw new Refused(answer.ok ? 401 : answer.status, body);
  }
  return body;
}
