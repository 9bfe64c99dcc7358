"""Finds the text features of an estimator, as far as its fitted attributes tell."""

import numpy


def first_step(estimator):
    """Returns the step that gets the raw rows, also that of the best estimator of a search."""
    while True:
        if getattr(estimator, "steps", None):
            estimator = next((step for _, step in estimator.steps if step is not None and step != "passthrough"), None)
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return estimator


def takes_text(estimator):
    """Returns true if a row is a single text, as for vectorizers, side by side or behind other steps."""
    step = first_step(estimator)
    if getattr(step, "transformer_list", None):
        return any(takes_text(part) for _, part in step.transformer_list)
    if hasattr(step, "build_analyzer"):
        return True
    # Behind a step that takes anything, or inside of other estimators.
    return is_free(step) and (step is not estimator or hasattr(step, "predict")) and takes_text_alone(estimator)


def is_free(step):
    """Returns true if the step takes anything, such as a FunctionTransformer."""
    return step is not None and getattr(step, "n_features_in_", None) is None


def takes_text_alone(estimator):
    """Returns true if the estimator accepts texts, and no rows of numbers."""
    def accepts(rows):
        try:
            getattr(estimator, "predict" if hasattr(estimator, "predict") else "transform")(rows)
        except Exception:
            return False
        return True
    return accepts(numpy.array(["text"] * 2, object)) and not accepts(numpy.zeros((2, 1)))


def takes_objects(estimator):
    """Returns true if a row is an object of any features, {name: value}, as for DictVectorizer."""
    step = first_step(estimator)
    return type(step).__name__ == "DictVectorizer" or type(step).__name__ == "FeatureHasher" and step.input_type == "dict"


def text_columns(estimator, names):
    """Returns {feature: a possible value}."""
    step = first_step(estimator)
    if not names or step is None:
        return {}
    if not hasattr(step, "transformers_"):
        return texts_of(step, names)
    found = {}
    for _, transformer, columns in step.transformers_:
        chosen = columns_named(columns, names)
        for part in steps_of(transformer):
            found.update(texts_of(part, chosen))
            if getattr(part, "n_features_in_", None) != len(chosen):
                break  # later steps have other columns
    return found


def unused_columns(estimator, names):
    """Returns the features that a ColumnTransformer drops: it accepts tables without them."""
    step = first_step(estimator)
    used = set()
    for _, transformer, columns in getattr(step, "transformers_", ()):
        if not isinstance(transformer, str) or transformer != "drop":
            used.update(columns_named(columns, names))
    return set(names) - used if used else set()


def all_texts(estimator, features):
    """Returns a possible value for each feature of an estimator that was fitted without names, if all are text. Otherwise
    an empty list: an array has one datatype."""
    found = text_columns(estimator, [str(column) for column in range(features or 0)])
    return list(found.values()) if features and len(found) == features else []


def steps_of(transformer):
    """Returns the steps of a pipeline in order, or the transformer itself."""
    if isinstance(transformer, str) or transformer is None:
        return []
    steps = getattr(transformer, "steps", None)
    return [transformer] if not steps else [part for _, step in steps for part in steps_of(step)]


def columns_named(columns, names):
    if isinstance(columns, str):
        return [columns]
    if isinstance(columns, slice) and not isinstance(columns.start, str) and not isinstance(columns.stop, str):
        return names[columns]
    try:
        chosen = numpy.asarray(columns)
        if chosen.dtype.kind in "US" or chosen.dtype == object:
            return [str(name) for name in chosen.tolist()]
        return numpy.atleast_1d(numpy.asarray(names, dtype=object)[chosen]).tolist()
    except (TypeError, ValueError, IndexError):
        return []


def texts_of(encoder, names):
    if hasattr(encoder, "build_analyzer"):
        return {name: "text" for name in names[:1]}
    filled = getattr(encoder, "statistics_", None)  # of an imputer: the values for missing ones
    if filled is not None and len(filled) == len(names):
        return {name: value for name, value in zip(names, filled) if isinstance(value, str)}
    categories = getattr(encoder, "categories_", None)
    if not isinstance(categories, list) or len(categories) != len(names):
        return {}
    return {name: values[0] for name, values in zip(names, categories)
            if len(values) > 0 and numpy.asarray(values).dtype.kind in "OUST" and isinstance(values[0], str)}
