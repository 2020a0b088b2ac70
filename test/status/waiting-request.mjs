import http from 'node:http';

/** A request by node:http, whose sockets cost less than those of fetch. @returns status, headers and body, as text */
export function send(url, { agent, method = 'GET', headers, body }) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
