import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusal } from './answers.js';
import { SmallGateway } from './gateway.js';
import type { Mutant } from './mutants/mutant.js';
import { belowBase } from './openings.js';

/** Starts a small gateway. */
export async function startSmallGateway(
  mutant: Mutant,
): Promise<{ base: string; gateway: SmallGateway; close: () => void }> {
  const gateway = new SmallGateway(mutant);
  const opened = new SmallGateway({ name: mutant.name, sees: () => true });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const below = belowBase(mutant, request.url ?? '');
    const answer = below
      ? (below.isOpened ? opened : gateway).handle(
          request.method ?? '',
          below.target,
          request.headers,
          Buffer.concat(chunks).toString(),
        )
      : refusal(404, 'FHIR is elsewhere.');
    // Left without an answer.
    if (answer.status === 0) return;
    const text =
      typeof answer.body === 'string' ? answer.body : answer.body === undefined ? '' : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'Content-Type': 'application/fhir+json', ...answer.headers });
    response.end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  gateway.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { base: gateway.base, gateway, close };
}
