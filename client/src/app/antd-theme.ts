import values from 'virtual:antd-values';
import { createContext, useContext } from 'react';

/**
 * In place of those modules of Ant Design that derive a theme and make styles in the browser (`client/antd-styles.ts`):
 * the build has made both. What is left for the browser is the name of the class with the variables, and whether there
 * is motion.
 */
interface Theme {
  token?: { motion?: boolean };
  cssVar?: { key?: string };
}

export const defaultConfig: Theme = {};
export const DesignTokenContext = createContext(defaultConfig);

const theme = undefined;
/** Class names have no hash of a theme. */
const hash = '';

export function useToken() {
  const { token, cssVar } = useContext(DesignTokenContext);
  const own = { ...values, motion: token?.motion ?? true };
  return [theme, own, hash, own, cssVar, true] as const;
}

export const genStyleHooks = () =>
  function useStyle() {
    return [hash, useContext(DesignTokenContext).cssVar?.key];
  };
export const genComponentStyleHook = () => () => hash;
export const genSubStyleComponent = () => () => null;
export const useResetIconStyle = () => {};

/** The names of variables that a component itself sets. */
export const genCssVar = (root: string, component: string) => {
  const name = (key: string) => `--${root.replaceAll('.', '')}-${component}-${key}`;
  return [name, (key: string, fallback?: string) => `var(${name(key)}${fallback ? `, ${fallback}` : ''})`];
};

/** Stands for the context of `@ant-design/cssinjs`, for the provider of the configuration. */
export const StyleContext = createContext({});
export const createTheme = () => theme;
export const defaultTheme = theme;
export const unit = (size: number | string) => (typeof size === 'number' ? `${size}px` : size);
