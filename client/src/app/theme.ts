import { theme as antd, type ThemeConfig } from 'antd';
import type { AccentColors, Mode } from '../shared/ui/accent.js';
import { type Density, themeClass } from './density.js';

const neutral = {
  light: {
    colorText: '#17222B',
    colorTextHeading: '#17222B',
    colorTextSecondary: '#4B5A66',
    colorTextLabel: '#17222B',
    colorTextDescription: '#4B5A66',
    colorTextTertiary: '#5F6E7A',
    colorIcon: '#5F6E7A',
    colorTextPlaceholder: '#65737E',
    colorTextDisabled: '#84929D',
    colorTextQuaternary: '#82919D',
    colorBgLayout: '#F5F7F9',
    colorBgContainer: '#FFFFFF',
    colorBgElevated: '#FFFFFF',
    colorBgContainerDisabled: '#F0F3F5',
    colorBgMask: 'rgba(15,23,30,.44)',
    colorFillQuaternary: '#F8FAFB',
    colorFillAlter: '#F8FAFB',
    colorFillTertiary: '#EEF2F4',
    colorFillSecondary: '#E6EBEE',
    colorFill: '#DCE3E7',
    colorBorder: '#82919D',
    colorBorderSecondary: '#E2E8EC',
    colorSplit: '#E2E8EC',
    colorSuccess: '#1F7D4F',
    colorSuccessText: '#1A6B43',
    colorSuccessBg: '#E8F4ED',
    colorWarning: '#B7791F',
    colorWarningText: '#825300',
    colorWarningBg: '#FDF3DC',
    colorError: '#B42318',
    colorErrorHover: '#C62B1F',
    colorErrorActive: '#8F1B12',
    colorErrorText: '#B42318',
    colorErrorTextHover: '#8F1B12',
    colorErrorBg: '#FDEDEB',
  },
  dark: {
    colorText: '#E8EEF1',
    colorTextHeading: '#F1F5F7',
    colorTextSecondary: '#AFBDC6',
    colorTextLabel: '#E8EEF1',
    colorTextDescription: '#AFBDC6',
    colorTextTertiary: '#8C9CA7',
    colorIcon: '#8C9CA7',
    colorTextPlaceholder: '#84939E',
    colorTextDisabled: '#6F808C',
    colorTextQuaternary: '#6F808C',
    colorBgLayout: '#0F1519',
    colorBgContainer: '#161E24',
    colorBgElevated: '#1C262D',
    colorBgContainerDisabled: '#1E282F',
    colorBgMask: 'rgba(4,8,11,.64)',
    colorFillQuaternary: '#1A2329',
    colorFillAlter: '#1A2329',
    colorFillTertiary: '#202B32',
    colorFillSecondary: '#27343C',
    colorFill: '#30404A',
    colorBorder: '#657784',
    colorBorderSecondary: '#28343C',
    colorSplit: '#28343C',
    colorSuccess: '#3FA873',
    colorSuccessText: '#6FCF9B',
    colorSuccessBg: '#163024',
    colorWarning: '#D9A441',
    colorWarningText: '#E7B85C',
    colorWarningBg: '#33290F',
    colorError: '#FF9A8F',
    colorErrorHover: '#FFB3AA',
    colorErrorActive: '#F0867A',
    colorErrorText: '#FF9A8F',
    colorErrorTextHover: '#FFB3AA',
    colorErrorBg: '#3A1A18',
  },
} as const;

const sizes = {
  user: {
    fontSize: 16,
    fontSizeSM: 14,
    fontSizeHeading1: 28,
    lineHeight: 24 / 16,
    lineHeightSM: 20 / 14,
    controlHeight: 48,
    controlHeightSM: 40,
    controlHeightLG: 48,
    controlInteractiveSize: 22,
  },
  admin: {
    fontSize: 14,
    fontSizeSM: 12,
    fontSizeHeading1: 28,
    lineHeight: 20 / 14,
    lineHeightSM: 16 / 12,
    controlHeight: 36,
    controlHeightSM: 28,
    controlHeightLG: 44,
    controlInteractiveSize: 18,
  },
} as const;

const shared = {
  fontFamily:
    "'Inter Variable', Inter, -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyCode: "'JetBrains Mono Variable', ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace",
  fontSizeLG: 16,
  fontSizeXL: 20,
  fontSizeHeading2: 22,
  fontSizeHeading3: 18,
  fontSizeHeading4: 16,
  fontSizeHeading5: 14,
  lineHeightHeading1: 36 / 28,
  lineHeightHeading2: 28 / 22,
  lineHeightHeading3: 24 / 18,
  lineHeightHeading4: 24 / 16,
  lineHeightHeading5: 20 / 14,
  lineHeightLG: 24 / 16,
  borderRadiusXS: 4,
  borderRadiusSM: 6,
  borderRadius: 8,
  borderRadiusLG: 12,
  motionDurationFast: '0.1s',
  motionDurationMid: '0.16s',
  motionDurationSlow: '0.16s',
  lineWidthFocus: 2,
  controlPaddingHorizontal: 12,
};

export interface ThemeChoice {
  mode: Mode;
  density: Density;
  accents: AccentColors;
  /** False under `prefers-reduced-motion`. */
  motion: boolean;
}

/**
 * The one theme, of which the build makes style sheets (`client/antd-styles.ts`). Ant Design recomputes what it takes
 * for seed colours (colorPrimary, colorLink, colorError…), and more so in its dark algorithm, so a last derivative puts
 * our exact values over whatever was derived; the same values are given as tokens for those that are only computed
 * after the derivatives.
 */
export function portalTheme({
  mode,
  density,
  accents,
  motion,
}: ThemeChoice): ThemeConfig & { cssVar: { key: string } } {
  const exact = {
    ...shared,
    ...sizes[density],
    ...neutral[mode],
    ...accents,
    colorLink: accents.colorPrimaryText,
    colorLinkHover: accents.colorPrimaryTextHover,
    colorLinkActive: accents.colorPrimaryTextHover,
    colorInfo: accents.colorPrimaryText,
  };
  const edge = mode === 'light' ? '#C6D0D7' : '#3D4D57';
  const user = density === 'user';
  return {
    algorithm: [
      mode === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
      (seed, map) => ({ ...(map ?? antd.defaultAlgorithm(seed)), ...exact }),
    ],
    token: { ...exact, motion },
    hashed: false,
    // A fixed name, so that our own style sheets find the variables on the document, outside Ant Design's components
    // too.
    cssVar: { key: themeClass(density) },
    components: {
      Button: {
        defaultBorderColor: edge,
        defaultBg: exact.colorBgContainer,
        // As text, not as a fill: in dark the two differ.
        defaultHoverColor: accents.colorPrimaryText,
        defaultActiveColor: accents.colorPrimaryTextHover,
        dangerColor: mode === 'light' ? '#FFFFFF' : '#2B0B08',
        primaryShadow: 'none',
        defaultShadow: 'none',
        dangerShadow: 'none',
        fontWeight: 500,
        contentFontSize: exact.fontSize,
        contentFontSizeSM: user ? 16 : 13,
        contentFontSizeLG: 16,
        paddingInline: user ? 20 : 15,
        borderColorDisabled: mode === 'light' ? '#D5DCE1' : '#2C3942',
      },
      Input: { activeShadow: `0 0 0 3px ${exact.controlOutline}`, inputFontSize: exact.fontSize },
      Form: { itemMarginBottom: 20, verticalLabelPadding: '0 0 6px', labelFontSize: user ? 15 : 14 },
      Radio: { radioSize: exact.controlInteractiveSize, dotSize: user ? 10 : 8 },
      Segmented: {
        trackBg: exact.colorFillSecondary,
        itemColor: exact.colorTextSecondary,
        itemHoverColor: exact.colorText,
        itemSelectedColor: exact.colorText,
        itemSelectedBg: mode === 'light' ? exact.colorBgContainer : exact.colorFill,
      },
      Switch: user
        ? { trackHeight: 24, trackMinWidth: 48, trackPadding: 2, handleSize: 20 }
        : { trackHeight: 22, trackMinWidth: 44, trackPadding: 2, handleSize: 18 },
      Modal: { titleFontSize: 22, titleLineHeight: 28 / 22, borderRadiusLG: 16 },
      Drawer: { padding: 20, paddingLG: 24 },
    },
  };
}
