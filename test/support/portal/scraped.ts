/** A line of Prometheus' text format. */
export interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Metrics in Prometheus' text format, as they were at one moment. */
export class Scraped {
  readonly series: Series[];

  constructor(readonly text: string) {
    this.series = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
        const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
        return { name, labels: Object.fromEntries(pairs), value: Number(value) };
      });
  }

  static async from(url: string): Promise<Scraped> {
    const answer = await fetch(url);
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
    return new Scraped(await answer.text());
  }

  /** The sum of the series with this name and these labels; undefined if there are none. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const found = this.series.filter(
      (one) => one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  /** The values of a label. */
  valuesOf(name: string, label: string): string[] {
    return [...new Set(this.series.flatMap((one) => (one.name === name ? [one.labels[label] ?? ''] : [])))].sort();
  }
}
