# SPDX-License-Identifier: MIT
"""spdx.py LIST SCHEMA: is LIST what SPDX 2.3 wants, with licences that it knows, and
with the sums of the files beside it?

The status is 77 if Debian's python3-jsonschema or python3-license-expression is missing.
"""

import hashlib
import json
import os
import sys

try:
    import jsonschema
    from license_expression import get_spdx_licensing
except ImportError as error:
    print(error)
    sys.exit(77)

with open(sys.argv[1], encoding='utf-8') as file:
    document = json.load(file)
with open(sys.argv[2], encoding='utf-8') as file:
    jsonschema.validate(document, json.load(file))

known = [document['SPDXID']]
for package in document['packages']:
    known.append(package['SPDXID'])
    for field in 'licenseDeclared', 'licenseConcluded':
        problems = get_spdx_licensing().validate(package[field]).errors
        assert not problems, problems
    name = package.get('packageFileName')
    if name:
        path = os.path.join(os.path.dirname(sys.argv[1]), name)
        with open(path, 'rb') as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        assert package['checksums'][0]['checksumValue'] == digest, name
assert len(set(known)) == len(known), known
for relation in document['relationships']:
    assert relation['spdxElementId'] in known, relation
    assert relation['relatedSpdxElement'] in known, relation
