/** The version in package.json, put in by the build: the error pages show it without asking the server for settings. */
declare const __APP_VERSION__: string;

/** Values of the theme that components of Ant Design calculate with (`client/antd-styles.ts`). */
declare module 'virtual:antd-values' {
  const values: Record<string, number>;
  export default values;
}
