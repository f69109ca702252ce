import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { theme as antd } from 'antd';
import { accentColors, type Mode } from '../shared/ui/accent.js';
import { portalTheme } from './theme.js';

const token = (mode: Mode, accent: string | null = null) =>
  antd.getDesignToken(portalTheme({ mode, density: 'user', accents: accentColors(accent, mode), motion: true }));

describe('the theme', () => {
  it('has the values that the algorithms of Ant Design derive', () => {
    expect(token('light')).toMatchObject({
      colorPrimary: '#0A6375',
      colorPrimaryHover: '#0C7388',
      colorPrimaryBorder: '#3C8FA0',
      colorLink: '#0A6375',
      colorLinkHover: '#084C5A',
      colorError: '#B42318',
      colorBorder: '#82919D',
      colorTextPlaceholder: '#65737E',
      controlHeight: 48,
    });
    expect(token('dark')).toMatchObject({
      colorPrimary: '#18788B',
      colorPrimaryActive: '#136576',
      colorLink: '#70C8D7',
      colorInfo: '#70C8D7',
      colorError: '#FF9A8F',
      colorSuccess: '#3FA873',
      colorBgContainer: '#161E24',
      colorBgElevated: '#1C262D',
      colorPrimaryBg: '#12303A',
    });
  });

  it('has its own value for each colour that a style sheet uses', () => {
    const folder = join(process.cwd(), 'client', 'src');
    const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
    const taken = sheets.flatMap((file) =>
      Array.from(readFileSync(join(folder, file), 'utf8').matchAll(/--ant-(color-[a-z-]+)/g), ([, name = '']) =>
        name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      ),
    );
    const own = Object.keys(
      portalTheme({ mode: 'light', density: 'user', accents: accentColors(null, 'light'), motion: true }).token ?? {},
    );
    // White is white, whatever Ant Design derives.
    expect([...own, 'colorWhite']).toEqual(expect.arrayContaining(taken));
  });

  it('uses the accent of the branding', () => {
    expect(token('light', '#7A1FA2').colorPrimary).toBe('#7A1FA2');
  });

  it('has smaller controls in the admin area', () => {
    const { controlHeight, fontSize } = antd.getDesignToken(
      portalTheme({ mode: 'light', density: 'admin', accents: accentColors(null, 'light'), motion: true }),
    );
    expect([controlHeight, fontSize]).toEqual([36, 14]);
  });
});
