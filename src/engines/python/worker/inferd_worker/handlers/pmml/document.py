"""The file: its elements, and the checks before they are evaluated."""

import os
import xml.parsers.expat
from xml.etree import ElementTree

FILE_BYTES_MAX = 512 << 20
DEPTH_MAX = 400
TARGETS = ("target", "predicted")  # a target without a DataField may have any type
NAMING = (("MiningField", "name"), ("SimplePredicate", "field"), ("SimpleSetPredicate", "field"), ("FieldRef", "field"),
          ("NormContinuous", "field"), ("NormDiscrete", "field"), ("Discretize", "field"), ("FieldColumnPair", "field"),
          ("NumericPredictor", "name"), ("CategoricalPredictor", "name"))
EVALUATED = ("RegressionModel", "TreeModel", "MiningModel")
NOT_MODELS = ("Header", "MiningBuildTask", "DataDictionary", "TransformationDictionary", "Extension")


class Refused(ValueError):
    """The file is no PMML, or has an element that is not evaluated."""


class Document:
    def __init__(self, root):
        self.root = root
        self.dictionary = child(root, "DataDictionary")
        if self.dictionary is None:
            raise Refused("it has no DataDictionary")
        self.transformations = child(root, "TransformationDictionary")
        models = [element for element in root if element.tag not in NOT_MODELS]
        if len(models) != 1:
            raise Refused(f"it has {len(models)} models ({', '.join(element.tag for element in models)}), and one is served"
                          if models else "it has no model")
        self.model = models[0]
        if self.model.tag not in EVALUATED:
            raise Refused(f"a {self.model.tag} is not evaluated: only {', '.join(EVALUATED)} are")
        self._check_functions()
        self._check_fields()

    def _check_functions(self):
        own = {each.get("name") for each in self.root.iter("DefineFunction")}
        for each in self.root.iter("Apply"):
            if each.get("function") in own:
                raise Refused(f"function '{each.get('function')}' is defined by the file itself (DefineFunction), which is not evaluated")

    def _check_fields(self):
        """Checks that all named fields exist: evaluation may need them only for some values."""
        known = {each.get("name") for tag in ("DataField", "DerivedField", "OutputField") for each in self.root.iter(tag)}
        for tag, attribute in NAMING:
            for each in self.model.iter(tag):
                if each.get(attribute) not in known and each.get("usageType", "active") not in TARGETS:
                    raise Refused(f"there is no field '{each.get(attribute)}', which a {tag} names")


class Builder(ElementTree.TreeBuilder):
    """Builds elements without their namespace, and limits their depth."""

    def __init__(self):
        super().__init__()
        self._depth = 0

    def start(self, tag, attributes):
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise Refused(f"its elements are more than {DEPTH_MAX} deep")
        return super().start(tag.rpartition("}")[2], attributes)

    def end(self, tag):
        self._depth -= 1
        return super().end(tag.rpartition("}")[2])

    def doctype(self, name, pubid, system):
        raise Refused("it has a document type, whose entities could be anything")


def read_document(path):
    try:
        if os.path.getsize(path) > FILE_BYTES_MAX:
            raise Refused(f"it has more than {FILE_BYTES_MAX >> 20} MiB")
        root = ElementTree.parse(path, ElementTree.XMLParser(target=Builder())).getroot()
        if root is None or root.tag != "PMML":
            raise Refused("it is no PMML")
        return Document(root)
    except (ElementTree.ParseError, xml.parsers.expat.ExpatError) as error:
        raise ValueError(f"'{path}' cannot be read: {error}") from error
    except Refused as error:
        raise ValueError(f"'{path}' cannot be served: {error}") from error


def child(element, tag):
    return None if element is None else element.find(tag)


def content(element):
    """Returns the child elements without extensions."""
    return [] if element is None else [each for each in element if each.tag != "Extension"]


def number(element, name, default=None):
    text = element.get(name)
    if text is None:
        if default is None:
            raise Refused(f"a {element.tag} lacks its {name}")
        return default
    try:
        return float(text)
    except ValueError:
        raise Refused(f"the {name} of a {element.tag} is '{text}', which is no number") from None


def required(element, name):
    text = element.get(name)
    if text is None:
        raise Refused(f"a {element.tag} lacks its {name}")
    return text


def words_of(array):
    """Returns an Array's strings: separated by blanks, perhaps in quotes."""
    text, words, word, quoted, begun = array.text or "", [], [], False, False
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "\\" and at + 1 < len(text) and text[at + 1] == '"':
            word.append('"')
            begun, at = True, at + 1
        elif letter == '"':
            quoted, begun = not quoted, True
        elif letter.isspace() and not quoted:
            if begun:
                words.append("".join(word))
            word, begun = [], False
        else:
            word.append(letter)
            begun = True
        at += 1
    if begun:
        words.append("".join(word))
    return words
