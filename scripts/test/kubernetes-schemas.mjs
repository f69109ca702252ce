/** The schemas by which kubeconform checks, made from the description of Kubernetes' API, which is in its Go module. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed } from '../prepare.mjs';

/** The oldest minor version that the chart permits, and a recent one. */
export const kubernetesVersions = ['1.27.16', '1.34.2'];

/** Members that the API takes as text or as a number, although its description names one of both. */
const textOrNumber = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'integer',
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'number',
};

/** Writes the schemas of all versions below `folder`; returns them as a `-schema-location` of kubeconform. */
export async function provideSchemas(folder) {
  for (const version of kubernetesVersions) {
    const place = join(folder, `v${version}`);
    // Written last.
    if (!existsSync(join(place, definitionsFile))) await writeSchemas(place, sourceOf(version));
  }
  return join(folder, '{{.NormalizedKubernetesVersion}}', '{{.ResourceKind}}{{.KindSuffix}}.json');
}

const definitionsFile = '_definitions.json';

/** The folder of the Go module, which Go downloads once. */
function sourceOf(version) {
  const download = ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`];
  const { status, stdout, stderr } = spawnSync('go', download, { encoding: 'utf8' });
  if (status !== 0) throw new CommandFailed(`${stderr}${stdout}\n\`go ${download.join(' ')}\` failed (${status})`);
  return JSON.parse(stdout).Dir;
}

async function writeSchemas(place, source) {
  const { definitions } = JSON.parse(await readFile(join(source, 'api/openapi-spec/swagger.json'), 'utf8'));
  await mkdir(place, { recursive: true });
  for (const [name, { 'x-kubernetes-group-version-kind': kinds = [] }] of Object.entries(definitions))
    for (const { group, version, kind } of kinds) {
      const file = [kind, ...group.split('.').slice(0, group ? 1 : 0), version].join('-').toLowerCase();
      const reference = `${definitionsFile}#/definitions/${name}`;
      await writeFile(join(place, `${file}.json`), JSON.stringify({ $ref: reference }));
    }
  const strict = Object.entries(definitions).map(([name, schema]) => [
    name,
    textOrNumber[name] ? { type: ['string', textOrNumber[name]] } : withoutOtherMembers(schema),
  ]);
  await writeFile(join(place, definitionsFile), JSON.stringify({ definitions: Object.fromEntries(strict) }));
}

/** The API refuses a member that it does not know if the caller asks for it, as kubectl does. */
function withoutOtherMembers({ properties, ...schema }) {
  return properties ? { ...schema, properties, additionalProperties: false } : schema;
}
