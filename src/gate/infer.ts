/**
 * From a tool's schema to the type of its arguments, as far as the schema's own type tells.
 */

import type { StandardSchemaV1 } from '@standard-schema/spec';

import type { ToolArguments } from '../outcome.js';

/** What a JSON Schema allows. Where its type is not known literally, `unknown`. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer One)[] }
      ? FromJsonSchema<One>
      : Schema extends { readonly oneOf: readonly (infer One)[] }
        ? FromJsonSchema<One>
        : Schema extends { readonly type: infer Type }
          ? OfTypes<Schema, Type>
          : unknown;

type OfTypes<Schema, Type> = Type extends readonly (infer One)[]
  ? OfType<Schema, One>
  : OfType<Schema, Type>;

type OfType<Schema, Type> = string extends Type
  ? unknown
  : Type extends 'string'
    ? string
    : Type extends 'number' | 'integer'
      ? number
      : Type extends 'boolean'
        ? boolean
        : Type extends 'null'
          ? null
          : Type extends 'array'
            ? Schema extends { readonly items: infer Item }
              ? FromJsonSchema<Item>[]
              : unknown[]
            : Type extends 'object'
              ? OfProperties<Schema>
              : unknown;

type OfProperties<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [
          Key in keyof Properties as Key extends RequiredOf<Schema> ? Key : never
        ]: FromJsonSchema<Properties[Key]>;
      } & {
        -readonly [
          Key in keyof Properties as Key extends RequiredOf<Schema> ? never : Key
        ]?: FromJsonSchema<Properties[Key]>;
      }
    >
  : ToolArguments;

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Key)[] }
  ? Key
  : never;

type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** What a schema of either sort gives. */
export type FromSchema<Schema> = Schema extends {
  readonly '~standard': StandardSchemaV1.Props<unknown, infer Output>;
}
  ? Output
  : unknown extends FromJsonSchema<Schema>
    ? ToolArguments
    : FromJsonSchema<Schema>;

/** What the tool of a definition is called with. */
export type ArgumentsOf<Definition> = Definition extends { readonly function: infer Inner }
  ? ArgumentsOf<Inner>
  : Definition extends { readonly parameters: infer Schema }
    ? FromSchema<Schema>
    : Definition extends { readonly input_schema: infer Schema }
      ? FromSchema<Schema>
      : Definition extends { readonly inputSchema: infer Schema }
        ? FromSchema<Schema>
        : ToolArguments;

/** The name in a definition. */
export type NameOf<Definition> = Definition extends {
  readonly function: { readonly name: infer Name extends string };
}
  ? Name
  : Definition extends { readonly name: infer Name extends string }
    ? Name
    : never;

/** What each of some definitions, in a list or by name, is called with. */
export type ToolMapOf<Tools> = Tools extends readonly unknown[]
  ? [NameOf<Tools[number]>] extends [never]
    ? Record<string, ToolArguments>
    : { [Definition in Tools[number] as NameOf<Definition>]: ArgumentsOf<Definition> }
  : { [Name in keyof Tools & string]: ArgumentsOf<Tools[Name]> };
