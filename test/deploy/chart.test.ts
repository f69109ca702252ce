import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { kubernetesVersions } from '../../scripts/test/kubernetes-schemas.mjs';
import { loadConfig } from '../../src/platform/config/load-config.js';

const chart = 'deploy/helm/gatehouse';
const { HELM = 'helm', KUBECONFORM = 'kubeconform' } = process.env;

interface Resource {
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the parts of Kubernetes' resources that a test names.
  [part: string]: any;
}

const needed = {
  issuer: 'https://login.hospital.example/auth',
  config: { fhir: { baseUrl: 'http://hapi.records.svc:8080/fhir' } },
  secret: { name: 'gatehouse-secrets' },
};

/** A proxy for outgoing requests, and the certificates of the hospital. */
const extras = {
  extraEnv: [
    { name: 'NODE_EXTRA_CA_CERTS', value: '/certificates/ca.pem' },
    { name: 'GATEHOUSE_EMAIL__SMTP__PASSWORD', valueFrom: { secretKeyRef: { name: 'mail', key: 'password' } } },
  ],
  extraVolumes: [{ name: 'certificates', configMap: { name: 'hospital-ca' } }],
  extraVolumeMounts: [{ name: 'certificates', mountPath: '/certificates', readOnly: true }],
};

/** Everything that the chart can make, by the values that make it. */
const variants: [string, object][] = [
  ['the values that are needed', {}],
  ['a job that migrates', { migrations: { mode: 'job' } }],
  ['autoscaling', { autoscaling: { enabled: true } }],
  ['an ingress below a path', { ingress: { enabled: true, className: 'nginx', tlsSecret: 'login-tls' } }],
  ['a monitor of Prometheus', { management: { serviceMonitor: { enabled: true, labels: { release: 'main' } } } }],
  [
    'external secrets',
    { externalSecret: { enabled: true, store: { name: 'vault' }, values: { 'database-url': 'gatehouse/db' } } },
  ],
  [
    'external secrets for a job that migrates',
    {
      migrations: { mode: 'job' },
      externalSecret: { enabled: true, store: { name: 'vault' }, values: { 'database-url': 'gatehouse/db' } },
    },
  ],
  ['variables and volumes of the operator', { migrations: { mode: 'job' }, ...extras }],
  ['no policies', { networkPolicy: { enabled: false }, podDisruptionBudget: { enabled: false } }],
  ['an image by digest', { image: { digest: `sha256:${'a'.repeat(64)}` } }],
];

let folder: string;

function helm(command: string[], values: object, kubernetes = kubernetesVersions.at(-1) ?? '') {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify({ ...needed, ...values }));
  // A Helm that Go has built knows no version of Kubernetes.
  return spawnSync(HELM, [...command, '--kube-version', kubernetes, '--values', file], { encoding: 'utf8' });
}

function rendered(values: object = {}, kubernetes?: string): { text: string; resources: Resource[] } {
  const { status, stdout, stderr } = helm(['template', 'portal', chart], values, kubernetes);
  expect(status === 0 ? '' : stderr).toBe('');
  const resources = parseAllDocuments(stdout).map((document) => document.toJS());
  return { text: stdout, resources: resources.filter(Boolean) };
}

/** The resources that Kubernetes would refuse, and the numbers of all. */
function checked(text: string, version: string) {
  const schemas = process.env.KUBECONFORM_SCHEMAS ?? 'default';
  const place = ['-kubernetes-version', version, '-schema-location', schemas];
  // Resources of other vendors have no schema among those of Kubernetes.
  const options = ['-strict', '-ignore-missing-schemas', ...place, '-summary', '-output', 'json'];
  const { stdout } = spawnSync(KUBECONFORM, options, { input: text, encoding: 'utf8' });
  const { resources = [], summary } = JSON.parse(stdout);
  return { resources, summary };
}

const podsOf = (resources: Resource[]) =>
  resources.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(({ spec }) => spec.template);

const matches = (labels: Record<string, string>, selector: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

/** Helm makes hooks in the order of their weights, and waits for each. */
function expectBefore(first: Resource | undefined, then: Resource | undefined): void {
  const [one, other] = [first, then].map((resource) => resource?.metadata.annotations ?? {});
  expect(one?.['helm.sh/hook']).toBe(other?.['helm.sh/hook']);
  expect(Number(one?.['helm.sh/hook-weight'])).toBeLessThan(Number(other?.['helm.sh/hook-weight'] ?? 0));
  expect(one?.['helm.sh/hook-delete-policy']).toBe('before-hook-creation,hook-succeeded');
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-chart-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('The Helm chart', () => {
  it.each(variants)('has no finding of helm lint with %s', (_, values) => {
    const { status, stdout } = helm(['lint', '--strict', '--quiet', chart], values);
    expect([status, stdout.trim()]).toEqual([0, '']);
  });

  it.each(variants)('makes resources that Kubernetes accepts with %s', (_, values) => {
    for (const version of kubernetesVersions) {
      const { resources, summary } = checked(rendered(values, version).text, version);
      expect([version, resources]).toEqual([version, []]);
      expect(summary).toMatchObject({ invalid: 0, errors: 0 });
      expect(summary.valid).toBeGreaterThan(4);
    }
  });

  it.each([
    ['a wrong value', /replicas: \d+/, 'replicas: two'],
    ['an unknown member', 'containerPort:', 'containerPorts:'],
  ])('has a check that finds %s', (_, right, wrong) => {
    const { text } = rendered();
    expect(text).toMatch(right);
    for (const version of kubernetesVersions)
      expect(checked(text.replace(right, wrong), version)).toMatchObject({
        resources: [{ kind: 'Deployment', status: 'statusInvalid' }],
      });
  });

  it('gives the portal a configuration that it accepts, with secrets from files', () => {
    const { resources } = rendered({
      config: { ...needed.config, server: { trustedProxies: ['10.0.0.0/8'] }, branding: { organizationTitle: 'H' } },
    });
    const config = resources.find(({ kind }) => kind === 'ConfigMap')?.data['gatehouse.yaml'];
    const [{ env }] = podsOf(resources)[0].spec.containers;
    const at = join(folder, 'run');
    const secrets = { 'database-url': 'postgres://gatehouse@db/gatehouse', 'master-key': 'ab'.repeat(32) };
    for (const [key, value] of Object.entries(secrets)) {
      const file = join(at, 'run/secrets/gatehouse', key);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, value);
    }
    writeFileSync(join(at, 'gatehouse.yaml'), config);
    const environment = Object.fromEntries(
      env.map(({ name, value }: { name: string; value: string }) => [
        name,
        name.endsWith('_FILE') ? join(at, value) : value,
      ]),
    );
    const { server, database, keys } = loadConfig(environment, at);
    expect(server).toMatchObject({
      issuer: needed.issuer,
      host: '0.0.0.0',
      port: 3000,
      trustedProxies: ['10.0.0.0/8'],
    });
    expect([database.url, keys.masterKey]).toEqual(Object.values(secrets));
  });

  it('runs each pod without rights: no root, no writable image, no capabilities, no account of the cluster', () => {
    const pods = podsOf(rendered({ migrations: { mode: 'job' } }).resources);
    expect(pods).toHaveLength(2);
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of spec.containers) {
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it.each<[string, object, RegExp]>([
    ['its own release', {}, /^gatehouse:v\d+\.\d+\.\d+$/],
    ['a tag', { image: { repository: 'ghcr.io/a/b', tag: 'next' } }, /^ghcr\.io\/a\/b:next$/],
    ['a digest', { image: { digest: `sha256:${'a'.repeat(64)}` } }, /^gatehouse@sha256:a{64}$/],
  ])('runs the image of %s', (_, values, image) => {
    for (const { spec } of podsOf(rendered({ ...values, migrations: { mode: 'job' } }).resources))
      expect(spec.containers.map((container: { image: string }) => container.image)).toEqual([
        expect.stringMatching(image),
      ]);
  });

  it('selects the pods of the portal, and not that of the job, by services, budget and policy', () => {
    const { resources } = rendered({ migrations: { mode: 'job' } });
    const [portal, job] = ['Deployment', 'Job'].map(
      (kind) => resources.find((one) => one.kind === kind)?.spec.template.metadata.labels,
    );
    const selectors = resources.flatMap(({ kind, spec, metadata }) => {
      if (kind === 'Service') return [spec.selector];
      if (kind === 'PodDisruptionBudget') return [spec.selector.matchLabels];
      return kind === 'NetworkPolicy' && metadata.name === 'portal' ? [spec.podSelector.matchLabels] : [];
    });
    expect(selectors.map((one) => [matches(portal, one), matches(job, one)])).toEqual(Array(4).fill([true, false]));
  });

  it('lets the job connect to what the portal connects to, with a policy that exists before it', () => {
    const egress = [{ ports: [{ port: 6432, protocol: 'TCP' }] }];
    const { resources } = rendered({ migrations: { mode: 'job' }, networkPolicy: { egress } });
    const job = resources.find(({ kind }) => kind === 'Job');
    const [policy, ...others] = resources.filter(
      ({ kind, spec }) =>
        kind === 'NetworkPolicy' && matches(job?.spec.template.metadata.labels, spec.podSelector.matchLabels),
    );
    const portal = resources.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'portal');
    expect(others).toEqual([]);
    expect(policy?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], egress: portal?.spec.egress });
    expect(policy?.spec.egress.at(-1)).toEqual(egress[0]);
    expect(policy?.spec.ingress).toBeUndefined();
    expectBefore(policy, job);
    expect(rendered().resources.filter(({ kind }) => kind === 'NetworkPolicy')).toHaveLength(1);
  });

  it('has the Secret written before the job reads it, and keeps it for the portal', () => {
    const externalSecret = { enabled: true, store: { name: 'vault' }, values: { 'master-key': 'gatehouse/key' } };
    const { resources } = rendered({ migrations: { mode: 'job' }, externalSecret });
    const secrets = resources.filter(({ kind }) => kind === 'ExternalSecret');
    // Neither owns the Secret: it stays when the one that was made for the job is removed.
    expect(secrets.map(({ spec }) => spec.target)).toEqual([
      { name: 'gatehouse-secrets', creationPolicy: 'Orphan' },
      { name: 'gatehouse-secrets', creationPolicy: 'Orphan' },
    ]);
    const [ofJob, ofPortal] = secrets.sort((a, b) => b.metadata.name.length - a.metadata.name.length);
    expect(ofJob?.spec).toEqual(ofPortal?.spec);
    expect(ofPortal?.metadata.annotations).toBeUndefined();
    expectBefore(
      ofJob,
      resources.find(({ kind }) => kind === 'Job'),
    );
    const [alone, ...others] = rendered({ externalSecret }).resources.filter(({ kind }) => kind === 'ExternalSecret');
    expect([alone?.spec.target, others]).toEqual([{ name: 'gatehouse-secrets' }, []]);
  });

  it('gives the job resources', () => {
    const resources = { requests: { cpu: '100m' }, limits: { memory: '300Mi' } };
    const pods = podsOf(rendered({ migrations: { mode: 'job' }, resources }).resources);
    expect(pods.map(({ spec }) => spec.containers[0].resources)).toMatchObject([resources, resources]);
  });

  it('gives portal and job the variables and volumes of the operator', () => {
    const pods = podsOf(rendered({ migrations: { mode: 'job' }, ...extras }).resources);
    expect(pods).toHaveLength(2);
    for (const { spec } of pods) {
      expect(spec.volumes).toEqual(expect.arrayContaining(extras.extraVolumes));
      expect(spec.containers[0].volumeMounts).toEqual(expect.arrayContaining(extras.extraVolumeMounts));
      expect(spec.containers[0].env.slice(-2)).toEqual(extras.extraEnv);
    }
  });

  it('accepts every key of the configuration, also where its secrets come from variables', () => {
    const config = {
      ...needed.config,
      email: { smtp: { host: 'mail.example' }, from: 'portal@hospital.example' },
      identityProviders: [{ scheme: 'entra', displayName: 'Entra', authority: 'https://a.example', clientId: 'b' }],
      fhir: { baseUrl: 'http://hapi:8080/fhir', credentials: { type: 'basic', username: 'gatehouse' } },
      clients: [{ clientId: 'a', clientName: 'A' }],
    };
    expect(rendered({ config }).resources.length).toBeGreaterThan(4);
  });

  it('permits requests for metrics from the monitoring only, and none from the ingress', () => {
    const { resources } = rendered({ ingress: { enabled: true } });
    const policy = resources.find(({ kind }) => kind === 'NetworkPolicy')?.spec;
    const open = policy.ingress.map(({ from, ports }: Resource) => [
      from[0].namespaceSelector.matchLabels['kubernetes.io/metadata.name'],
      ports.map(({ port }: { port: string }) => port),
    ]);
    expect(open).toEqual([
      ['ingress-nginx', ['http']],
      ['monitoring', ['management']],
    ]);
    const rule = resources.find(({ kind }) => kind === 'Ingress')?.spec.rules[0];
    expect([rule.host, rule.http.paths[0].path, rule.http.paths[0].backend.service.port]).toEqual([
      'login.hospital.example',
      '/auth',
      { name: 'http' },
    ]);
  });

  it('replaces the pods when the configuration changes', () => {
    const sum = (values: object) => podsOf(rendered(values).resources)[0].metadata.annotations['checksum/config'];
    const other = { config: { fhir: { baseUrl: 'http://other.records.svc:8080/fhir' } } };
    const [first, again, changed] = [sum({}), sum({}), sum(other)];
    expect([again === first, changed === first]).toEqual([true, false]);
  });

  it.each<[string, object, RegExp]>([
    ['an issuer without TLS', { issuer: 'http://login.hospital.example' }, /issuer/],
    ['an issuer with a slash at its end', { issuer: 'https://login.hospital.example/' }, /issuer/],
    ['no FHIR server', { config: {} }, /fhir/],
    ['no Secret', { secret: { name: '' } }, /name/],
    ['a secret among the settings', { config: { ...needed.config, keys: { masterKey: 'x' } } }, /masterKey/],
    ['an unknown value', { replica: 3 }, /replica/],
    ['an unknown section', { config: { ...needed.config, mail: {} } }, /mail/],
    ['an unknown key', { config: { ...needed.config, gateway: { stepup: [] } } }, /stepup/],
    ['an unknown key of a section', { config: { ...needed.config, email: { smtp: { hots: 'a' } } } }, /hots/],
    ['an unknown key of a list', { config: { fhir: { baseUrl: 'http://a', tenants: [{ ID: 'a' }] } } }, /ID/],
    ['a variable without a name', { extraEnv: [{ value: 'a' }] }, /name/],
    ['an unknown way to migrate', { migrations: { mode: 'never' } }, /mode/],
  ])('refuses %s', (_, values, sentence) => {
    const { status, stderr } = helm(['template', 'portal', chart], values);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(sentence);
  });
});
