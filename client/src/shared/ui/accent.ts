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

/** The accent without a branding. */
export const petrol: Record<Mode, AccentColors> = {
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

/** Red, green and blue, each from 0 to 255. */
type Color = readonly number[];

const white = [255, 255, 255];
const black = [0, 0, 0];
/** The surface that leaves least contrast, of those behind accent text and edges. */
const surface: Record<Mode, Color> = { light: [0xf5, 0xf7, 0xf9], dark: [0x1c, 0x26, 0x2d] };

const parsed = (hex: string): Color => [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
const mix = (from: Color, to: Color, share: number): Color =>
  from.map((value, index) => Math.round(value + ((to[index] ?? 0) - value) * share));
const toHex = (color: Color) => `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`.toUpperCase();

/** WCAG 2.2 relative luminance. */
function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2 contrast ratio of two colours. */
function contrast(one: Color, other: Color): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Moves a colour towards another in small steps until it stands out from `against`. */
function moveUntilContrast(least: number, from: Color, towards: Color, against: Color): Color {
  for (let share = 0; share < 1; share += 0.04) {
    const color = mix(from, towards, share);
    if (contrast(color, against) >= least) return color;
  }
  return towards;
}

/**
 * The accent of the branding in all its shades, or petrol when white text on it would be hard to read (below 4.5:1).
 * Text, icons and edges in the accent are moved away from the surface until they reach 4.5:1 and 3:1.
 */
export function accentColors(accent: string | null, mode: Mode): AccentColors {
  const base = /^#[0-9a-f]{6}$/i.test(accent ?? '') ? parsed(accent ?? '') : white;
  if (contrast(base, white) < 4.5) return petrol[mode];
  const ground = surface[mode];
  const away = mode === 'light' ? black : white;
  const fill = mode === 'light' ? base : moveUntilContrast(4.5, mix(base, white, 0.12), black, white);
  const tint = mix(base, ground, mode === 'light' ? 0.9 : 0.82);
  const text = moveUntilContrast(mode === 'light' ? 4.5 : 6, base, away, tint);
  return {
    colorPrimary: toHex(fill),
    colorPrimaryHover: toHex(moveUntilContrast(4.5, mix(fill, white, 0.08), black, white)),
    colorPrimaryActive: toHex(mix(fill, black, 0.22)),
    colorPrimaryText: toHex(text),
    colorPrimaryTextHover: toHex(mix(text, away, 0.22)),
    colorPrimaryBg: toHex(tint),
    colorPrimaryBgHover: toHex(mix(base, ground, mode === 'light' ? 0.84 : 0.74)),
    colorPrimaryBorder: toHex(moveUntilContrast(3, mix(base, white, mode === 'light' ? 0.3 : 0.2), away, ground)),
    controlOutline: `rgba(${text.join()},${mode === 'light' ? 0.2 : 0.28})`,
  };
}

/** The variable of the theme's style sheets that has this colour. */
export const accentVariable = (key: string) => `--accent-${key}`;

/** Sets the colours of the branding's accent for the whole document, over those of the style sheet. */
export function applyAccent(accent: string | null, mode: Mode): void {
  for (const [key, value] of Object.entries(accentColors(accent, mode)))
    document.documentElement.style.setProperty(accentVariable(key), value);
}
