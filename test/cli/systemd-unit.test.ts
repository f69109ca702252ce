/** The unit file for systemd: what it starts is what a build has, and what it sets is what the product reads. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const file = 'deploy/systemd/gatehouse.service';
const unit = readFileSync(file, 'utf8');
const valuesOf = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it('starts the server with the options of the image', () => {
  const [, command = ''] =
    /^CMD (\[.*\])$/m.exec(readFileSync('Dockerfile', 'utf8').split('HEALTHCHECK').pop() ?? '') ?? [];
  expect(valuesOf('ExecStart')).toEqual([
    (JSON.parse(command) as string[]).join(' ').replace(/^node/, '/usr/bin/node'),
  ]);
  const image = readFileSync('Dockerfile', 'utf8');
  for (const setting of ['NODE_ENV=production', 'MALLOC_TRIM_THRESHOLD_=131072']) {
    expect([image.includes(setting), valuesOf('Environment').join(' ').includes(setting)]).toEqual([true, true]);
  }
});

it('lets a stop take as long as the portal may, and lets the portal stop what it has started', () => {
  const grace = /stop_grace_period: (\d+)s/.exec(readFileSync('compose.yaml', 'utf8'))?.[1];
  expect([valuesOf('TimeoutStopSec'), valuesOf('KillMode')]).toEqual([[grace], ['mixed']]);
});

it('has one place that the service can write to, which is the data folder', () => {
  expect(valuesOf('ProtectSystem')).toEqual(['strict']);
  expect(valuesOf('ReadWritePaths')).toEqual([]);
  expect(valuesOf('Environment').join(' ')).toContain(`GATEHOUSE_DATA_DIR=/var/lib/${valuesOf('StateDirectory')[0]}`);
});

(hasSystemd ? it : it.skip)('is a unit that systemd accepts', () => {
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  // The unit names a Node that may be elsewhere here.
  const problems = stderr
    .split('\n')
    .filter((line) => line !== '' && !line.includes('/usr/bin/node is not executable'));
  expect([status === 0 || problems.length === 0, problems]).toEqual([true, []]);
});
