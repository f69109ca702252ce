import styles from './background-art.module.css';

interface Arch {
  radius: number;
  dotted?: boolean;
  filled?: boolean;
}

/** Concentric arches, drawn from the apex of the outermost one down; where they stand is up to `className`. */
export function BackgroundArt({ arches, strong, className }: { arches: Arch[]; strong?: boolean; className?: string }) {
  const outer = Math.max(...arches.map(({ radius }) => radius));
  const width = 2 * outer + 2;
  const height = 2400;
  return (
    <svg
      className={[styles.arches, strong && styles.strong, className].filter(Boolean).join(' ')}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
      focusable="false"
    >
      {arches.map(({ radius, dotted, filled }) => (
        <path
          key={radius}
          className={[dotted && styles.dotted, filled && styles.filled].filter(Boolean).join(' ') || undefined}
          d={`M${outer + 1 - radius} ${height}V${outer + 1}a${radius} ${radius} 0 0 1 ${2 * radius} 0V${height}`}
        />
      ))}
    </svg>
  );
}
