import { nodeAdvice } from '../../../src/platform/logging/engine-warning.js';
import { createDatabase } from '../../support/database/database.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';

it.each([
  ['20.20.2', 'Node 20.20.2 works, and gets no more security fixes: use Node 22 or 24'],
  ['22.12.0', undefined],
  ['24.1.0', undefined],
])('the start on Node %s logs: %s', (version, advice) => {
  expect(nodeAdvice(version)).toBe(advice);
});

it('the start logs no line of the OAuth engine, and once the recommended Node version where another one runs', async () => {
  const { connection, drop } = await createDatabase();
  const [port = 0] = await freePorts(1);
  const node = await PortalProcess.start({ database: connection, port, config: { logging: { level: 'warn' } } });
  expect(await node.end('SIGTERM')).toBe(0);
  await drop();
  expect(node.output).toContain('Gatehouse is ready.');
  expect(node.output).not.toContain('oidc-provider');
  expect(node.output.split('use Node 22 or 24')).toHaveLength(nodeAdvice() ? 2 : 1);
});
