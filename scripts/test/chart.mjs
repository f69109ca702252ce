/**
 * `npm run test:chart [-- <jest arguments>]`: the Helm chart, checked by `helm lint`, `helm template` and kubeconform,
 * which Go builds if they are not installed. Without Go it says so and tests nothing.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith, run } from '../prepare.mjs';
import { provideSchemas } from './kubernetes-schemas.mjs';

const tools = {
  HELM: { name: 'helm', from: 'helm.sh/helm/v3/cmd/helm@v3.22.0' },
  KUBECONFORM: { name: 'kubeconform', from: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0' },
};
const folder = fileURLToPath(new URL('../../node_modules/.cache/go-tools/', import.meta.url));
const works = (command, args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

try {
  const env = {};
  const hasGo = works('go', ['version']);
  for (const [variable, { name, from }] of Object.entries(tools)) {
    const built = `${folder}${name}`;
    const help = ['-h'];
    env[variable] = [process.env[variable], name, built].find((command) => command && works(command, help));
    if (env[variable]) continue;
    if (!hasGo) {
      console.log(`Skipped, the Helm chart is not tested: neither ${name} nor Go is installed.`);
      process.exit(0);
    }
    console.log(`Building ${name} …`);
    await run('go', ['install', from], { env: { GOBIN: folder } });
    env[variable] = built;
  }
  // Without Go kubeconform downloads schemas by itself.
  if (hasGo)
    env.KUBECONFORM_SCHEMAS = process.env.KUBECONFORM_SCHEMAS ?? (await provideSchemas(join(folder, 'schemas')));
  await run(process.execPath, ['scripts/test.mjs', 'test/deploy/chart', ...process.argv.slice(2)], { env });
} catch (error) {
  exitWith(error);
}
