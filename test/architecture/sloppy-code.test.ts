import { changedByBundling } from '../../scripts/bundle-server/sloppy-code.mjs';

describe('The scan of bundled packages', () => {
  it.each([
    ['arguments.callee', 'function F() { Error.captureStackTrace(this, arguments.callee); }', /arguments\.callee$/],
    ['arguments.caller', 'module.exports = function () { return arguments.caller; };', /arguments\.caller$/],
    ['the caller of a function', 'function f() { return f.caller; }', /caller of a function$/],
    ['with', 'with (exports) { name = 1; }', /syntax: .*with/i],
    ['an octal number', 'exports.mode = 0755;', /syntax: /],
    ['an octal character', "exports.escape = '\\033[0m';", /syntax: /],
    ['two parameters of one name', 'function f(a, a) { return a; }', /syntax: /],
    ['the deletion of a variable', 'var a = 1; delete a;', /syntax: /],
    ['a reserved name', 'var interface = 1;', /syntax: /],
    ['a global', 'exports.f = function () { total = 1; };', /^line 1: assignment to the global total$/],
    ['a counted global', 'for (i = 0; i < 3; i++) exports[i] = i;', /the global i/],
    ['a global of a loop', 'for (key in exports) void key;', /the global key/],
    ['a global of a pattern', 'function f(x) { ({ a, b: [c] } = x); }', /the global a/],
    ['this of a function that is called at once', '(function () { this.root = 1; })();', /called at once/],
    ['changed arguments', 'function f(a) { a = a || {}; return g.apply(null, arguments); }', /changed parameter/],
    ['a function outside of its block', 'if (exports) { function f() {} } f();', /f outside of its block/],
    ['__dirname', "exports.path = __dirname + '/worker.js';", /__dirname/],
    ['__filename', "'use strict'; exports.file = __filename;", /__filename/],
    ['require of a computed name', "'use strict'; module.exports = (name) => require(name);", /computed name/],
    ['module.parent', "'use strict'; if (!module.parent) run();", /module\.parent/],
    ['require.main', 'if (require.main === module) run();', /require\.main/],
  ])('finds %s', (_what, code, expected) => {
    const found = changedByBundling(code);
    expect(found).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
    // The place is in the file, after lines that are none of it.
    expect(changedByBundling(`/* A licence. */\n\n${code}`)).toHaveLength(found.length);
  });

  it.each([
    ['strict code', "'use strict'; function f(a) { a = 1; return arguments[0]; }"],
    ['an ES module', "import x from 'y'; export const callee = () => x.arguments.callee;"],
    ['a strict function', "function f() { 'use strict'; return arguments.callee; }"],
    ['a class', 'class A { f() { return arguments.callee; } }'],
    ['names of members', 'exports.callee = { __dirname: 1, arguments: 2 }; exports.__filename = exports.main;'],
    ['declared names', 'var a, { b, ...c } = exports; for (const d of c) { a = b = d; } try {} catch (e) { e = 1; }'],
    ['parameters', 'function f(a, [b], { c }, ...d) { a = b = c = d; } (x) => { x = 1; };'],
    ['arguments without a changed parameter', 'function f(a) { var b = a; b = 2; return arguments.length; }'],
    ['this of a method', 'exports.f = function () { return this; }; (function () { return 1; }).call(this);'],
    ['a function in its block', 'if (exports) { function f() {} f(); }'],
    ['a named require', "var a = require('a'), b = require(\"b\"); require.resolve('c');"],
    ['another require', 'function f(require, module) { return require(module.parent); }'],
  ])('accepts %s', (_what, code) => {
    expect(changedByBundling(code)).toEqual([]);
  });

  it('refuses text that is no JavaScript', () => {
    expect(() => changedByBundling('function (')).toThrow();
  });
});
