/**
 * `node scripts/config-docs.mjs`: writes docs/configuration.md, docs/gatehouse.schema.json and `config` in the schema
 * of the chart's values, from the schema that the configuration is validated with. `--check` writes nothing and fails
 * when they say something else.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, exitWith, root } from './prepare.mjs';
import './typescript.mjs';

const { configSchema } = await import('../src/platform/config/config.ts');
const { configJsonSchema } = await import('../src/platform/config/load-config.ts');

const chartSchemaFile = 'deploy/helm/gatehouse/values.schema.json';

const head = `# Configuration

<!-- Written by scripts/config-docs.mjs from src/platform/config/config.ts; change that file and run the script again. -->

Gatehouse reads \`gatehouse.yaml\` in its folder, or the file that \`GATEHOUSE_CONFIG\` names. Every key may be left out.
How file, environment and secrets are combined is described in [Configuration](operations/database.md#configuration). For completion in
an editor, put this line on top of the file:

\`\`\`yaml
# yaml-language-server: $schema=docs/gatehouse.schema.json
\`\`\`

Below each key is the environment variable that overrides it. With the suffix \`_FILE\`, the variable names a file that
contains the value.
`;

try {
  const schema = withDefaults(configJsonSchema(), configSchema.parse({}));
  const documents = {
    'docs/configuration.md': markdown(schema),
    'docs/gatehouse.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
    [chartSchemaFile]: `${JSON.stringify(await chartSchema(schema), null, 2)}\n`,
  };
  for (const [file, text] of Object.entries(documents)) {
    if (!process.argv.includes('--check')) await writeFile(join(root, file), text);
    else if ((await readFile(join(root, file), 'utf8').catch(() => '')) !== text) {
      throw new CommandFailed(`${file} is out of date. Run \`node scripts/config-docs.mjs\`.`);
    }
  }
} catch (error) {
  exitWith(error);
}

/**
 * The schema of the chart's values, whose `config` has the keys of the configuration. Only their names are checked: the
 * portal checks the rest, when it has the secrets, too.
 */
async function chartSchema(schema) {
  const chart = JSON.parse(await readFile(join(root, chartSchemaFile), 'utf8'));
  const config = namesOf(schema);
  const { server, database, keys, fhir } = config.properties;
  // Keys that the chart sets itself, and keys that belong into the Secret.
  for (const name of ['issuer', 'host', 'port', 'stopDelay', 'management']) server.properties[name] = false;
  database.properties.url = false;
  keys.properties.masterKey = false;
  fhir.properties.baseUrl = { type: 'string', pattern: '^https?://.+' };
  fhir.required = ['baseUrl'];
  chart.properties.config = { ...config, required: ['fhir'] };
  return chart;
}

function namesOf({ type, properties, additionalProperties, items, anyOf, oneOf }) {
  const kinds = anyOf ?? oneOf;
  if (kinds) return kinds.some((one) => one.properties) ? { anyOf: kinds.map(namesOf) } : {};
  if (items) return { type, items: namesOf(items) };
  if (!properties) return {};
  const entries = Object.entries(properties).map(([name, value]) => [name, namesOf(value)]);
  return { type, properties: Object.fromEntries(entries), additionalProperties };
}

/** The schema with the default next to each key itself: a transformed value has lost its own, a section has `{}`. */
function withDefaults(schema, defaults) {
  if (!schema.properties) return defaults === undefined ? schema : { ...schema, default: defaults };
  const properties = Object.entries(schema.properties).map(([key, value]) => [
    key,
    withDefaults(value, defaults?.[key]),
  ]);
  const { default: _, ...rest } = schema;
  return { ...rest, properties: Object.fromEntries(properties) };
}

function markdown({ properties }) {
  const isSection = ([, value]) => value.properties !== undefined;
  const entries = Object.entries(properties);
  const single = table(entries.filter((entry) => !isSection(entry)).flatMap(([key, value]) => rows([key], value)));
  const sections = entries
    .filter(isSection)
    .map(
      ([key, value]) =>
        `## ${key}\n\n${table(Object.entries(value.properties).flatMap(([name, child]) => rows([key, name], child)))}`,
    );
  return [head, single, ...sections].join('\n');
}

function rows(path, schema) {
  const name = path.join('.');
  if (!schema.description && !schema.properties) throw new CommandFailed(`${name} has no description in config.ts.`);
  if (!schema.properties) return [[key(path), kind(schema), value(schema.default), schema.description]];
  const children = Object.entries(schema.properties).flatMap(([child, value]) => rows([...path, child], value));
  return schema.description ? [[`\`${name}\``, '', '', schema.description], ...children] : children;
}

function key(path) {
  const variable = path.map((part) => part.replace(/[A-Z]/g, '_$&').toUpperCase()).join('__');
  return `\`${path.join('.')}\`<br>\`GATEHOUSE_${variable}\``;
}

/** Describes the allowed values in words. */
function kind(schema) {
  if (schema.enum) return schema.enum.map((one) => `\`${one}\``).join(', ');
  if (schema.oneOf) return schema.oneOf.map(kind).join('; ');
  if (schema.anyOf) return schema.anyOf.map(kind).join('; ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  switch (schema.type) {
    case 'array':
      return `list of ${schema.items.properties ? kind(schema.items) : schema.items.type === 'object' ? 'objects' : 'texts'}`;
    case 'object':
      if (!schema.properties) return 'objects by id';
      return `{ ${Object.entries(schema.properties).map(member).join(', ')} }`;
    case 'integer':
      return `whole number${range(schema)}`;
    case 'boolean':
      return '`true` or `false`';
    default:
      return 'text';
  }
}

function member([name, { const: fixed }]) {
  return fixed === undefined ? `\`${name}\`` : `\`${name}: ${fixed}\``;
}

function range({ minimum, maximum }) {
  const top = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  return top === undefined ? `, at least ${minimum}` : `, ${minimum} to ${top}`;
}

function value(preset) {
  if (preset === undefined) return '';
  if (Array.isArray(preset)) return preset.length === 0 ? 'none' : preset.map((one) => `\`${one}\``).join('<br>');
  if (Object.keys(preset).length === 0 && typeof preset === 'object') return 'none';
  return typeof preset === 'object'
    ? `\`${Object.entries(preset)
        .map(([name, one]) => (typeof one === 'object' ? name : `${name}: ${one}`))
        .join(', ')}\``
    : `\`${preset}\``;
}

function table(lines) {
  const cells = [['Key', 'Value', 'Default', 'Meaning'], ['---', '---', '---', '---'], ...lines];
  return `${cells.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}
