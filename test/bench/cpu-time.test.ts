import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { cpuMicroseconds } from '../../bench/tools/load.mjs';

const burn = 'const end = process.cpuUsage().user + 600_000; while (process.cpuUsage().user < end);';
/** Uses no CPU time itself; its child process does, and then prints its process id. */
const parent = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['-e', ${JSON.stringify(`${burn} console.log(process.pid); setInterval(() => {}, 1000);`)}],
    { stdio: 'inherit' });
  setInterval(() => {}, 1000);`;

const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('the time of a child that is measured by itself is not counted for its parent as well', async () => {
  const started = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await new Promise((resolve) => {
    createInterface({ input: started.stdout }).once('line', (text) => resolve([text]));
  })) as [string];
  const pid = started.pid as number;
  const child = Number(line);
  try {
    const together = cpuMicroseconds({ node: pid }).node ?? 0;
    const { node = 0, postgres = 0 } = cpuMicroseconds({ node: pid, postgres: child });
    expect(postgres).toBeGreaterThanOrEqual(500_000);
    expect(together).toBeGreaterThanOrEqual(postgres);
    expect(together - node).toBeGreaterThanOrEqual(500_000);
  } finally {
    process.kill(child, 'SIGKILL');
    started.kill('SIGKILL');
  }
});
