import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const lines = (file: string) => readFileSync(file, 'utf8').split('\n');

describe('The container image', () => {
  it('is built from files that the build context contains', () => {
    const admitted = lines('.dockerignore')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = lines('Dockerfile')
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    const isAdmitted = (path: string) => admitted.some((one) => path === one || path.startsWith(`${one}/`));
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !isAdmitted(path))).toEqual([]);
  });
});

describe('The chart', () => {
  it('is of this release, whose image it runs', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(parse(readFileSync('deploy/helm/gatehouse/Chart.yaml', 'utf8'))).toMatchObject({
      version,
      appVersion: version,
    });
  });
});

describe('The compose file of a whole installation', () => {
  const { services, networks } = parse(readFileSync('deploy/compose/compose.yaml', 'utf8'));

  it('publishes ports of the TLS proxy only', () => {
    const published = Object.keys(services).filter((name) => services[name].ports);
    expect(published).toEqual(['caddy']);
  });

  it('lets the FHIR server be reached by the portal and its database only', () => {
    const reaches = (name: string) => services[name].networks as string[];
    const neighbours = Object.keys(services).filter((name) =>
      reaches(name).some((network) => reaches('hapi').includes(network)),
    );
    expect(neighbours.sort()).toEqual(['database', 'gatehouse', 'hapi']);
    for (const network of reaches('hapi')) expect(networks[network].internal).toBe(true);
  });
});
