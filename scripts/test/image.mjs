/**
 * `npm run test:image [-- <jest arguments>]`: builds the container image, by Docker or Podman, and runs it. Without one
 * of them it says so and tests nothing. `CONTAINER_ENGINE` names another one.
 */
import { spawnSync } from 'node:child_process';
import { exitWith, run } from '../prepare.mjs';

const image = 'gatehouse:test';
const engine = [process.env.CONTAINER_ENGINE, 'docker', 'podman'].find(
  (command) => command && spawnSync(command, ['info'], { stdio: 'ignore' }).status === 0,
);

try {
  if (!engine) {
    console.log('Skipped, the image is not tested: neither Docker nor Podman can be used.');
    process.exit(0);
  }
  await run(engine, ['build', '--tag', image, '.']);
  const env = { CONTAINER_ENGINE: engine, GATEHOUSE_IMAGE: image };
  await run(process.execPath, ['scripts/test.mjs', 'test/deploy/image', ...process.argv.slice(2)], { env });
} catch (error) {
  exitWith(error);
}
