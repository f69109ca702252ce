/** The version in package.json, put in by the build: the error pages show it without asking the server for settings. */
declare const __APP_VERSION__: string;
