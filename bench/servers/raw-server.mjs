/**
 * The bound: what any token endpoint on Node has to do, an HTTP request and one signature. The argument is the
 * algorithm, and ` × 3` for three processes at one port.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { generateKeyPair, SignJWT } from 'jose';

const [alg, workers = '1'] = process.argv[2].split(' × ');
if (cluster.isPrimary && workers !== '1') {
  cluster.setupPrimary({ args: [alg] });
  const started = Array.from({ length: Number(workers) }, () => once(cluster.fork(), 'listening'));
  const [[{ port }]] = await Promise.all(started);
  process.send({ port });
  process.once('SIGTERM', () => process.exit());
} else await serve();

async function serve() {
  const { privateKey } = await generateKeyPair(alg);
  const server = createServer((request, response) => {
    request.resume().on('end', async () => {
      const now = Math.floor(Date.now() / 1000);
      const token = await new SignJWT({
        scope: 'system/*.rs',
        client_id: 'bench',
        sub: 'bench',
        iat: now,
        exp: now + 3600,
      })
        .setProtectedHeader({ alg, typ: 'at+jwt', kid: 'k' })
        .sign(privateKey);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ access_token: token, expires_in: 3600, scope: 'system/*.rs', token_type: 'Bearer' }),
      );
    });
  });
  server.listen(0, '127.0.0.1', () => cluster.isPrimary && process.send({ port: server.address().port }));
}
