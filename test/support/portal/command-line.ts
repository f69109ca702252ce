import { spawnBuilt } from './portal-process.js';

/** Runs `npx gatehouse` in a process of its own, as an operator does. */
export async function runGatehouse(
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<{ code: number | null; out: string; err: string }> {
  const command = await spawnBuilt('cli.js', args, env);
  const said = { out: '', err: '' };
  command.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  command.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const code = await new Promise<number | null>((resolve) => command.once('close', resolve));
  return { code, ...said };
}
