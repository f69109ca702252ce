/** Schemas (JSON Schema 2020-12) of the types of the contract; each type with a name of its own is one component. */
import ts from 'typescript';
import { CommandFailed } from '../prepare.mjs';
import { addLimits, isOptional, takesBlank, takesNull } from './limits.mjs';
import { commentOf } from './program.mjs';

export class Schemas {
  components = {};
  #declared = new Map();

  constructor(
    checker,
    /** The class of a declaration at run time; undefined for a type that is none. */
    classOf,
  ) {
    this.checker = checker;
    this.classOf = classOf;
  }

  schemaOf(type) {
    const symbol = this.#namedBy(type);
    if (symbol) return { $ref: `#/components/schemas/${this.#declare(symbol, type)}` };
    return this.#inline(type);
  }

  /** A query has no component; its members are texts, so none is null. */
  schemaOfQuery(type) {
    return this.#object(type, true);
  }

  #namedBy(type) {
    const symbol = type.aliasSymbol && !type.aliasTypeArguments ? type.aliasSymbol : type.symbol;
    const isOurs = symbol?.declarations?.some(
      (one) =>
        one.getSourceFile().fileName.includes('/src/contract/') &&
        (ts.isClassDeclaration(one) || ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)),
    );
    return isOurs ? symbol : undefined;
  }

  #declare(symbol, type) {
    const { name } = symbol;
    const earlier = this.#declared.get(name);
    if (earlier && earlier !== symbol) throw new CommandFailed(`Two types of the contract have the name ${name}.`);
    if (!earlier) {
      this.#declared.set(name, symbol);
      // Entered before it is filled: a type may contain itself.
      const component = {};
      this.components[name] = component;
      const { text } = commentOf(symbol.declarations[0]);
      Object.assign(component, text && { description: text }, this.#inline(type));
    }
    return name;
  }

  #inline(type) {
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (flags & ts.TypeFlags.NonPrimitive) return { type: 'object' };
    if (flags & ts.TypeFlags.Null) return { type: 'null' };
    if (flags & ts.TypeFlags.StringLiteral || flags & ts.TypeFlags.NumberLiteral) return { const: type.value };
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: type.intrinsicName === 'true' };
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (flags & ts.TypeFlags.String) return { type: 'string' };
    if (flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.isUnion()) return this.#union(type);
    if (this.checker.isArrayType(type)) {
      return { type: 'array', items: this.schemaOf(this.checker.getTypeArguments(type)[0]) };
    }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#object(type);
    throw new CommandFailed(`No schema for the type ${this.checker.typeToString(type)}.`);
  }

  #union(type) {
    const parts = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const others = parts.filter(({ flags }) => !(flags & ts.TypeFlags.Null));
    const isNullable = others.length < parts.length;
    const schema = this.#alternatives(others, type);
    return isNullable ? nullable(schema) : schema;
  }

  #alternatives(types, union) {
    if (types.every(({ flags }) => flags & ts.TypeFlags.BooleanLiteral) && types.length === 2)
      return { type: 'boolean' };
    if (types.length === 1) return this.schemaOf(types[0]);
    if (types.every((one) => one.isStringLiteral() || one.isNumberLiteral())) {
      // A union with null or undefined has lost the name of the rest; the checker still has it as the origin.
      const named = union.origin?.types?.find((one) => one.aliasSymbol && one.types?.length === types.length);
      if (named && named !== union) return this.schemaOf(named);
      return { type: types[0].isStringLiteral() ? 'string' : 'number', enum: types.map(({ value }) => value) };
    }
    return { anyOf: types.map((one) => this.schemaOf(one)) };
  }

  #object(type, isQuery = false) {
    const properties = {};
    const required = [];
    const ownClass = this.classOf(type.symbol);
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      const of = this.checker.getTypeOfSymbol(symbol);
      const mayBeMissing = symbol.flags & ts.SymbolFlags.Optional || includesUndefined(of);
      const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
      const { text } = declaration ? commentOf(declaration) : {};
      const schema = this.schemaOf(of);
      const limited = ownClass ? addLimits(schema, ownClass, symbol.name, (ref) => this.resolve(ref)) : schema;
      const isFree = ownClass && isOptional(ownClass, symbol.name);
      const mayBeNull = isFree && !isQuery && takesNull(ownClass, symbol.name);
      const mayBeBlank = isFree && isQuery && takesBlank(ownClass, symbol.name);
      const whole = mayBeNull ? nullable(limited) : mayBeBlank ? orBlank(limited) : limited;
      properties[symbol.name] = { ...whole, ...(text && { description: text }) };
      if (!mayBeMissing && !isFree) required.push(symbol.name);
    }
    const index = this.checker.getIndexInfosOfType(type)[0];
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(index && { additionalProperties: this.schemaOf(index.type) }),
    };
  }

  resolve(schema) {
    const name = schema.$ref?.split('/').at(-1);
    return name ? this.components[name] : schema;
  }
}

function includesUndefined(type) {
  return type.isUnion() && type.types.some(({ flags }) => flags & ts.TypeFlags.Undefined);
}

/** The schema of a text that may also be empty. */
function orBlank(schema) {
  const { const: only, enum: values = only && [only], type, ...limits } = schema;
  if (values) return { type: 'string', ...limits, enum: [...values, ''] };
  const permitsBlank =
    !limits.format && !limits.anyOf && !limits.minLength && new RegExp(limits.pattern ?? '', 'u').test('');
  return permitsBlank ? schema : { type, anyOf: [limits, { maxLength: 0 }] };
}

export function nullable(schema) {
  if (schema.enum) return { ...schema, type: [schema.type, 'null'].flat(), enum: [...schema.enum, null] };
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
  if (Array.isArray(schema.type)) return schema;
  return schema.anyOf
    ? { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
    : { anyOf: [schema, { type: 'null' }] };
}
