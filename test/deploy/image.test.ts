import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { freePorts } from '../support/portal/portal.js';
import { until } from '../support/until.js';

const { CONTAINER_ENGINE: engine = 'docker', GATEHOUSE_IMAGE: image = '' } = process.env;
const name = `gatehouse-test-${randomBytes(4).toString('hex')}`;
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** 231 MB of packages and 18 MB of the built portal; some room for newer packages. */
const mostMegabytes = 280;

let issuer: string;

function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(engine, words, { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

const gatehouse = (...words: string[]) => run('exec', name, 'npx', 'gatehouse', ...words);
const isReady = () =>
  until(() =>
    fetch(`${issuer}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
const keyIds = async () => {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration/jwks`);
  const { keys } = (await answer.json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};

/**
 * As the documentation and the chart start it: nothing but `/data` and `/tmp` can be written, and there are no
 * capabilities.
 */
beforeAll(async () => {
  const [port] = await freePorts(1);
  issuer = `http://localhost:${port}`;
  const limits = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
  const listens = [`--env=GATEHOUSE_SERVER__PORT=${port}`, `--publish=127.0.0.1:${port}:${port}`];
  const started = run('run', '--detach', `--name=${name}`, `--volume=${name}:/data`, ...limits, ...listens, image);
  expect(started).toMatchObject({ code: 0 });
  await isReady();
});

afterAll(() => {
  run('rm', '--force', name);
  run('volume', 'rm', name);
});

describe('The image', () => {
  it('runs as a user without rights', () => {
    expect(run('exec', name, 'id', '--user', '--name')).toMatchObject({ code: 0, out: 'node\n' });
  });

  it('has a bounded size', () => {
    const [size = Number.NaN] = run('exec', name, 'du', '-sm', '/app').out.split('\t').map(Number);
    console.log(
      `/app has ${size} MB, the image ${run('image', 'inspect', '--format={{.Size}}', image).out.trim()} bytes`,
    );
    expect(size).toBeLessThan(mostMegabytes);
  });

  it.each(['build', 'demo', 'jest', 'vite', 'typescript', '@medplum'])(
    'has no package that only development needs: %s',
    (word) => {
      expect(run('exec', name, 'sh', '-c', `ls -d /app/${word} /app/node_modules/${word}`)).toMatchObject({ out: '' });
    },
  );

  it('has no cache and no log of its build, by which two builds would differ', () => {
    const found = run('run', '--rm', '--user=0', image, 'sh', '-c', 'find /root /tmp -name .npm -o -name "*.log"');
    expect(found).toMatchObject({ code: 0, out: '' });
  });

  it('runs the commands of the documentation, in a container whose root cannot be written', () => {
    const checked = gatehouse('check');
    expect(checked.out).toMatch(`Gatehouse ${version}, ${issuer}\n`);
    expect(checked).toMatchObject({ code: 1, err: '' });
    expect(gatehouse('database', 'status')).toMatchObject({ code: 0, err: '' });
    expect(gatehouse('nonsense')).toMatchObject({ code: 64 });
  });

  it('ends within seconds when it is stopped, and has its data when it starts again', async () => {
    const before = await keyIds();
    const began = performance.now();
    expect(run('stop', '--time=40', name)).toMatchObject({ code: 0 });
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(run('inspect', '--format={{.State.ExitCode}}', name).out).toBe('0\n');
    expect(run('start', name)).toMatchObject({ code: 0 });
    await isReady();
    expect(await keyIds()).toEqual(before);
  });
});
