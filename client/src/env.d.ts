/** The version in package.json, put in by the build: the error pages show it without asking the server for settings. */
declare const __APP_VERSION__: string;

/** Values of the theme that components of Ant Design calculate with (`client/antd-styles.ts`). */
declare module 'virtual:antd-values' {
  const values: Record<string, number>;
  export default values;
}

/** The parameter of a plugin of Swagger UI, as far as the page uses it. */
interface SwaggerSystem {
  React: typeof import('react');
}

interface SwaggerParts {
  getComponent(name: string, isConnected?: boolean): React.ComponentType;
}

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export default function SwaggerUI(options: Record<string, unknown>): void;
}
