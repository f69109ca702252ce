export type Mode = 'light' | 'dark';

/** The colours that follow the accent; all other colours are neutral on purpose. */
export interface AccentColors {
  colorPrimary: string;
  colorPrimaryHover: string;
  colorPrimaryActive: string;
  colorPrimaryText: string;
  colorPrimaryTextHover: string;
  colorPrimaryBg: string;
  colorPrimaryBgHover: string;
  colorPrimaryBorder: string;
  controlOutline: string;
}

const petrol: Record<Mode, AccentColors> = {
  light: {
    colorPrimary: '#0A6375',
    colorPrimaryHover: '#0C7388',
    colorPrimaryActive: '#084C5A',
    colorPrimaryText: '#0A6375',
    colorPrimaryTextHover: '#084C5A',
    colorPrimaryBg: '#E8F2F4',
    colorPrimaryBgHover: '#D7E8EC',
    colorPrimaryBorder: '#3C8FA0',
    controlOutline: 'rgba(10,99,117,.20)',
  },
  dark: {
    colorPrimary: '#18788B',
    colorPrimaryHover: '#1B7F93',
    colorPrimaryActive: '#136576',
    colorPrimaryText: '#70C8D7',
    colorPrimaryTextHover: '#97DAE5',
    colorPrimaryBg: '#12303A',
    colorPrimaryBgHover: '#173C48',
    colorPrimaryBorder: '#4FA3B4',
    controlOutline: 'rgba(112,200,215,.28)',
  },
};

type Rgb = readonly [number, number, number];

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
/** The surface that leaves least contrast, of those behind accent text and edges. */
const surface: Record<Mode, Rgb> = { light: [245, 247, 249], dark: [28, 38, 45] };

function parse(hex: string): Rgb | null {
  const digits = /^#([0-9a-f]{6})$/i.exec(hex)?.[1];
  if (!digits) return null;
  const number = Number.parseInt(digits, 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

const toHex = (rgb: Rgb) => `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`.toUpperCase();

const mix = (from: Rgb, to: Rgb, share: number): Rgb => [
  Math.round(from[0] + (to[0] - from[0]) * share),
  Math.round(from[1] + (to[1] - from[1]) * share),
  Math.round(from[2] + (to[2] - from[2]) * share),
];

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ratio(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2 contrast ratio of two `#RRGGBB` colours. */
export function contrast(one: string, other: string): number {
  return ratio(parse(one) ?? black, parse(other) ?? black);
}

/** Moves a colour towards another in small steps until it stands out from `against`. */
function until(least: number, from: Rgb, towards: Rgb, against: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.04) {
    const color = mix(from, towards, share);
    if (ratio(color, against) >= least) return color;
  }
  return towards;
}

/**
 * The accent of the branding in all its shades, or petrol when white text on it would be hard to read (below 4.5:1).
 * Text, icons and edges in the accent are moved away from the surface until they reach 4.5:1 and 3:1.
 */
export function accentColors(accent: string | null, mode: Mode): AccentColors {
  const base = accent ? parse(accent) : null;
  if (!base || ratio(base, white) < 4.5) return petrol[mode];
  const ground = surface[mode];
  const away = mode === 'light' ? black : white;
  const fill = mode === 'light' ? base : until(4.5, mix(base, white, 0.12), black, white);
  const tint = mix(base, ground, mode === 'light' ? 0.9 : 0.82);
  const text = until(mode === 'light' ? 4.5 : 6, base, away, tint);
  return {
    colorPrimary: toHex(fill),
    colorPrimaryHover: toHex(until(4.5, mix(fill, white, 0.08), black, white)),
    colorPrimaryActive: toHex(mix(fill, black, 0.22)),
    colorPrimaryText: toHex(text),
    colorPrimaryTextHover: toHex(mix(text, away, 0.22)),
    colorPrimaryBg: toHex(tint),
    colorPrimaryBgHover: toHex(mix(base, ground, mode === 'light' ? 0.84 : 0.74)),
    colorPrimaryBorder: toHex(until(3, mix(base, white, mode === 'light' ? 0.3 : 0.2), away, ground)),
    controlOutline: `rgba(${text.join(',')},${mode === 'light' ? '.20' : '.28'})`,
  };
}
